// Package openai connects OpenAI's Go SDK with a pool of tools, in both directions.
//
// A loop of the program's own sends requests of the SDK with [ResponseTools] or [ChatTools], and
// answers the calls of a reply with [RunResponse] or [RunChat]:
//
//	params.Tools = pegboardopenai.ResponseTools(pool)
//	response, err := client.Responses.New(ctx, params)
//	turn, err := pegboardopenai.RunResponse(ctx, &executor, pool, response)
//	input = slices.Concat(input, turn.History, turn.Results)
//
// The loop of an agent session runs at the service. [Stream] and [ToolHandlers] give it the tools of
// a pool, which [AgentTools] declares; [FromAgentTool] makes a tool of one of its functions.
//
// It is a module of its own, so that only programs that want it depend on the SDK. A program that
// sends bytes needs the packages wire/openai/chat and wire/openai/responses alone.
package openai
