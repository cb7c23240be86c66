# SPDX-License-Identifier: Apache-2.0
# Finds the protocol buffer classes of ONNX (Debian's libonnx-dev has them as a library of their own, without a CMake file
# that names it) and defines OnnxProto::onnx_proto. ONNX_ML says which of the two schemas the library has.
find_package(Protobuf REQUIRED)
find_path(OnnxProto_INCLUDE_DIR onnx/onnx-ml.pb.h)
find_library(OnnxProto_LIBRARY onnx_proto)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OnnxProto REQUIRED_VARS OnnxProto_LIBRARY OnnxProto_INCLUDE_DIR)
if(OnnxProto_FOUND AND NOT TARGET OnnxProto::onnx_proto)
  add_library(OnnxProto::onnx_proto UNKNOWN IMPORTED)
  set_target_properties(OnnxProto::onnx_proto PROPERTIES
    IMPORTED_LOCATION "${OnnxProto_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OnnxProto_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "ONNX_ML;ONNX_NAMESPACE=onnx"
    INTERFACE_LINK_LIBRARIES protobuf::libprotobuf)
endif()
