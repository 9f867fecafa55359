# Writes a C++ file that holds the texts of kernel files.
# cmake -DOUTPUT=kernel_sources.cc "-DFILES=a.cl;b.cl" -P embed_kernels.cmake
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND entries "    {\"${name}\", R\"BERTHCL(${text})BERTHCL\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Made from kernels/*.cl by embed_kernels.cmake.
#include \"plugins/opencl/kernel_sources.h\"

namespace berth::opencl {
namespace {

struct Entry {
  std::string_view file;
  std::string_view text;
};

constexpr Entry kEntries[] = {
${entries}};

}  // namespace

std::string_view KernelSource(std::string_view file) {
  for (const Entry& entry : kEntries) {
    if (entry.file == file) return entry.text;
  }
  return {};
}

}  // namespace berth::opencl
")
