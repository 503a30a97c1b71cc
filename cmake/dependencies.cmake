# Debian's packages name these targets in ways that do not link statically; ours do both.
find_package(fmt REQUIRED CONFIG)
find_package(yaml-cpp 0.7 REQUIRED CONFIG)

add_library(fwd_fmt INTERFACE)  # spdlog has no archive in Debian, and its target wants the shared fmt
target_compile_definitions(fwd_fmt INTERFACE SPDLOG_FMT_EXTERNAL)
target_link_libraries(fwd_fmt INTERFACE fmt::fmt-header-only)

add_library(fwd_yaml INTERFACE)
if(FWD_STATIC)
  find_library(YAML_CPP_ARCHIVE NAMES libyaml-cpp.a REQUIRED)
  target_link_libraries(fwd_yaml INTERFACE ${YAML_CPP_ARCHIVE})
else()
  target_link_libraries(fwd_yaml INTERFACE yaml-cpp)
endif()
