// A compiled program as the bytes of a file: everything needed to bind and run it, under its whole key and a checksum.
//
// Little-endian, without gaps:
//   8 bytes   "tenferro"
//   u32       format version
//   u32       0
//   u64       bytes of the whole file
//   u64       bytes of the key
//   key, then the artifact (fields in the order of their declaration; a count in front of every list)
//   16 bytes  XXH3-128 of all bytes before
#ifndef TENFERRO_RUNTIME_CACHE_PROGRAMFILE_H
#define TENFERRO_RUNTIME_CACHE_PROGRAMFILE_H

#include "lib/Core/Expected.h"
#include "runtime/program/Program.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tenferro::runtime {

/// Bumped when the bytes below change their meaning.
inline constexpr uint32_t kProgramFileVersion = 1;
/// Of the fixed part in front, and of the checksum behind.
inline constexpr size_t kProgramFileHeaderBytes = 32, kProgramFileKeyBytesAt = 24, kProgramFileChecksumBytes = 16;

/// The file of an artifact under the text `key`. Equal artifacts give equal bytes.
std::vector<uint8_t> writeProgramFile(std::string_view key, const CompiledArtifact &artifact);

/// The artifact of a file that `writeProgramFile` made for the same key. For any other bytes an Io failure that says
/// what is wrong: no length in them is trusted, and what is read is exactly what is written again. Whether the program
/// fits together is for LoadedProgram::load to say.
core::Expected<CompiledArtifact> readProgramFile(std::span<const uint8_t> bytes, std::string_view key);

/// A file of any bytes behind the key, with a header and a checksum that fit: what a forger would write.
std::vector<uint8_t> makeProgramFile(std::string_view key, std::span<const uint8_t> payload);

/// Makes the checksum of a file again. `bytes` holds at least header and checksum.
void sealProgramFile(std::span<uint8_t> bytes) noexcept;

} // namespace tenferro::runtime

#endif // TENFERRO_RUNTIME_CACHE_PROGRAMFILE_H
