// Package genkit gives the tools of a [pegboard.Pool] to github.com/firebase/genkit/go, and the
// tools of genkit to a [pegboard.Registry].
//
//	tools, err := genkit.New(executor, pool)
//	response, err := genkit.Generate(ctx, g, ai.WithPrompt(question), ai.WithMiddleware(tools.Middleware))
//
// A tool of genkit is not told the id of its call nor the message that the call is of, genkit
// calls those of a message at once, and a wrong input or an error ends the whole generation. So
// the tools of a pool are not tools of genkit: a middleware shows them to the model, runs the calls
// of each of its messages as one message, and sends the results, until a message has no calls.
//
// It is a module of its own, so that only programs that want it depend on genkit.
package genkit
