"builtin.module"() ({
  "tosa.variable"() <{initial_value = dense<7> : tensor<2xi8>, sym_name = "state", type = i8, var_shape = dense<2> : tensor<1xindex>}> : () -> ()
  "func.func"() <{arg_attrs = [{tosa.tensor_name = "c"}, {}], function_type = (tensor<i1>, tensor<2xi8>) -> tensor<2xi8>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<2xi8>):
    %0 = "tosa.variable_read"() <{name = "state"}> : () -> tensor<2xi8>
    "tosa.variable_write"(%arg1) <{name = "state"}> : (tensor<2xi8>) -> ()
    %1:2 = "tosa.cond_if"(%arg0, %arg1) ({
    ^bb0(%a: tensor<2xi8>):
      %2 = "tosa.reverse"(%a) <{axis = 0 : i32}> : (tensor<2xi8>) -> tensor<2xi8>
      "tosa.yield"(%2, %0) : (tensor<2xi8>, tensor<2xi8>) -> ()
    }, {
    ^bb0(%b: tensor<2xi8>):
      "tosa.yield"(%b, %b) : (tensor<2xi8>, tensor<2xi8>) -> ()
    }) : (tensor<i1>, tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>)
    "func.return"(%1#1) : (tensor<2xi8>) -> ()
  }) : () -> ()
}) : () -> ()
