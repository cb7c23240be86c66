#target = #tosa.target_env<specification_version = "1.0", level = "8k", profiles = [pro_int], extensions = [int16]>
module attributes {tosa.target_env = #target} {
  func.func @main(%arg0: tensor<1x4x4x2xi8> {tosa.tensor_name = "x"} loc("x")) -> (tensor<1x2x2x1xi8> {tosa.tensor_name = "y"}) {
    %0 = "tosa.const"() <{values = dense<"0x0102FF00FE7F8001"> : tensor<1x2x2x2xi8>}> : () -> tensor<1x2x2x2xi8>
    %1 = "tosa.const"() <{values = dense<5> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<-3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.conv2d %arg0, %0, %1, %2, %3 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>, tensor<1x2x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x1xi32> loc(#loc1)
    %5 = "tosa.const"() <{values = dense_resource<m> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<[36]> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = tosa.rescale %4, %5, %6, %7, %3 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x2x2x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x1xi8> loc(fused["conv", #loc1])
    %9 = tosa.clamp %8 {max_val = 127 : i8, min_val = -128 : i8, nan_mode = PROPAGATE} : (tensor<1x2x2x1xi8>) -> tensor<1x2x2x1xi8>
    return %9 : tensor<1x2x2x1xi8>
  }
}
#loc = loc("file":0:0)
#loc1 = loc("conv/Relu"(#loc))
{-#
  dialect_resources: {
    builtin: {
      m: "0x0400000000000040"
    }
  }
#-}
