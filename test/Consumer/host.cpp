// Opens the plugin, uses it and closes it, three times over. usage: host PLUGIN
#include <cstdio>
#include <dlfcn.h>

int main(int argc, char **argv) {
  for (int round = 1; round <= 3; ++round) {
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
    void *entry = plugin ? dlsym(plugin, "gradientOfSquare") : nullptr;
    if (!entry) {
      std::fprintf(stderr, "host: expects a plugin, but %s\n", argc == 2 ? dlerror() : "got no argument");
      return 1;
    }
    double gradient = reinterpret_cast<double (*)(double)>(entry)(round);
    if (gradient != 2.0 * round) {
      std::fprintf(stderr, "host: expects %g, but got %g\n", 2.0 * round, gradient);
      return 1;
    }
    dlclose(plugin);
  }
  std::printf("host: ok\n");
}
