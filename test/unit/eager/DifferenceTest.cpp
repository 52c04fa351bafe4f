// What sets two structure keys apart first, from their text.
#include "lib/Eager/Explain/ExplainCache.h"

#include <gtest/gtest.h>

namespace tenferro::eager {

TEST(FirstDifference, ComponentsOfTheTarget) {
  const std::string program = "vjp wrt (0) seed ones\ninput f64[2]\nsum (0) axes=[0] : f64[]\noutputs (1)\n";
  auto key = [&](const std::string &target) { return program + target; };
  EXPECT_EQ(firstDifference(key("rules 1\nlevel x86-64-v3\n"), key("rules 1\nlevel x86-64-v4\n")),
            "CPU level: asked for x86-64-v3, kept is x86-64-v4");
  EXPECT_EQ(firstDifference(key("rules 2\n"), key("rules 1\n")), "rule version: asked for 2, kept is 1");
  EXPECT_EQ(firstDifference("custom 'acme.scale.v1' rule version 2\nend\n" + program,
                            "custom 'acme.scale.v1' rule version 1\nend\n" + program),
            "rule version of 'acme.scale.v1': asked for 2, kept is 1");
  EXPECT_EQ(firstDifference(key("tier 0 (op by op)\n"), key("tier 1 (fused)\n")),
            "tier: asked for 0 (op by op), kept is 1 (fused)");
  EXPECT_EQ(firstDifference("vjp wrt (0)\n", "jvp wrt (0)\n"), "transform: asked for vjp, kept is jvp");
  EXPECT_EQ(firstDifference("vjp wrt (0) seed ones\n", "vjp wrt (0)\n"), "seed: asked for ones, kept is a cotangent");
  EXPECT_EQ(firstDifference(key(""), key("")), "");
}

TEST(FirstDifference, SectionsOfCalleesAreCounted) {
  const std::string callee = "vjp wrt (0) seed ones\ninput f64[2]\nsum (0) axes=[0] : f64[]\noutputs (1)\nactive 1\nend\n";
  const std::string one = "function 0\n" + callee, two = one + "function 1\n" + callee, program = "vjp wrt (0) seed ones\n";
  EXPECT_EQ(firstDifference(two + program, one + program),
            "derivatives and functions with rules that the program calls: asked for 2, kept is 1");
  EXPECT_EQ(firstDifference(program, one + program),
            "derivatives and functions with rules that the program calls: asked for 0, kept is 1");
}

} // namespace tenferro::eager
