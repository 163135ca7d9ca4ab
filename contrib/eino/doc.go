// Package eino gives the tools of a [pegboard.Pool] to the agents and graphs of
// github.com/cloudwego/eino, and the tools of eino to a [pegboard.Registry].
//
// A graph of your own has a node that runs the calls of a message as one message:
//
//	tools, err := eino.New(executor, pool)
//	model, err := model.WithTools(tools.Infos())
//	graph.AddLambdaNode("tools", compose.InvokableLambda(tools.Run))
//
// The agents of eino insist on tools. They get these, and each run a handler, without which the
// calls of a message would run in any order:
//
//	a, err := react.NewAgent(ctx, &react.AgentConfig{ToolCallingModel: model, ToolsConfig: tools.NodeConfig()})
//	answer, err := a.Generate(ctx, question, agent.WithComposeOptions(compose.WithCallbacks(eino.Handler())))
//
// It is a module of its own, so that only programs that want it depend on eino.
package eino
