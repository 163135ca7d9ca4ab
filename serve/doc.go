// Package serve offers pools of tools to MCP clients, over standard input and output and over
// streamable HTTP, in all versions of the protocol from 2024-11-05 to 2026-07-28.
//
//	s, err := serve.New(serve.Options{Name: "notes", Open: open})
//	…
//	err = s.Stdio(ctx)                 // one client: the program that has started this one
//	err = s.Connect(ctx, pipe)         // one client on a connection, such as a part of this program
//	http.Handle("/mcp", s.Handler())   // any number of clients
//
// Each client has a session of its own, which Options.Open makes and the server closes when
// the client leaves. The client is offered the tools of its pool, built-in and attached. Its
// calls go through the executor: rules, hooks, limits, budgets and the result store are those
// of the session.
//
//	open := func(ctx context.Context, c serve.Client) (*pegboard.Session, func() *pegboard.Pool, error) {
//		session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: permissions, Ask: s.Ask, Elicit: s.Elicit})
//		return session, func() *pegboard.Pool { return registry.AssemblePool(session, pegboard.PoolConfig{}) }, err
//	}
//
// # Questions
//
// With [Server.Ask] and [Server.Elicit] in the session, questions about calls and forms go to
// the client that has made the call, as elicitations. A client that cannot be asked has its
// calls denied, with the reason and the rule that would permit them.
//
// A client of 2026-07-28 is asked by the result of its request: resultType input_required,
// with a requestState that cannot be guessed. The call stays open, and goes on when the client
// repeats the request with the state and the answer. It runs once, however often that
// request is repeated: each repetition waits for the same result. A state is refused if it comes
// from another client, or with another tool or other arguments. If the client does not come
// back within Options.Answer, the question has expired and the call is denied. Clients of
// earlier versions are asked by a request of the server while theirs waits.
//
// # Clients over HTTP
//
// Versions before 2026-07-28 have sessions: a client is known by the id of its session, and,
// with auth.RequireBearerToken of the MCP SDK in front, by the user of its token as well. A
// client counts as gone when it has sent no request for half an hour, and neither listens nor
// waits for a call.
//
// In 2026-07-28 each request stands for itself. The requests of one user share a session;
// [Options].Identify names the user where no token does. Without a name, each request has a
// session of its own, and values that a tool keeps in the session, such as the list of files
// that were read, are gone with the next request.
//
// # Results
//
// Texts, images, sounds and documents are content; Result.Data that is a JSON object is the
// structured content. A result that was too long is followed by a link to the whole, which the
// client reads in pages of 1 MiB; each page has the address of the next one in its _meta, as
// "pegboard/next". Only the client that was given a link can read it. Progress that a tool
// reports is sent to clients that ask for it. If the data of Call.EmitData has numbers
// "progress" and "total" in JSON, these are sent; otherwise the reports are counted.
//
// # Concurrency
//
//  1. All methods of a Server may be called concurrently, also before and during Stdio and Connect.
//  2. Calls of a client that may not run beside each other run one after the other, as in
//     one message of a model, and at most Executor.MaxParallel run at once. A call that waits
//     for an answer, and has not begun, holds up no other.
//  3. Open, its pool func, Identify, and the host's funcs in the session and the
//     executor may be called concurrently, for different clients.
//  4. The pool func is called when the client comes and by Refresh, one call at a time for
//     a client. A call uses the pool of the last time.
//  5. A client is asked one thing at a time.
//  6. When Stdio or Connect has returned, the session of its client is closed. When Close has
//     returned, those of all clients are.
package serve
