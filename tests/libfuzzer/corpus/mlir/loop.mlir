!n = tensor<1xi32>
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> attributes {tf.entry_function = {inputs = "a", outputs = "b"}} {
  %zero = arith.constant dense<0> : tensor<1xi32>
  %i, %s = tosa.while_loop (%n = %zero, %sum = %x) : (!n, tensor<2xi32>) -> (!n, tensor<2xi32>) {
    %three = "tosa.const"() <{values = dense<3> : tensor<1xi32>}> : () -> tensor<1xi32>
    %goes_on = tosa.greater %three, %n : (!n, !n) -> tensor<1xi1>
    tosa.yield %goes_on : tensor<1xi1>
  } do {
  ^bb0(%m: !n, %before: tensor<2xi32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> !n
    %next = tosa.add %m, %one : (!n, !n) -> !n
    %after = tosa.add %before, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    tosa.yield %next, %after : !n, tensor<2xi32>
  }
  return %s : tensor<2xi32>
}
