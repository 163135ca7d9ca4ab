// Package mcp connects a conversation to MCP servers: their tools join a registry, their
// resources and prompts can be read, and their questions reach the user.
//
// The official SDK speaks the protocol, in all its versions. This package owns the rest: the processes and their ends, reconnecting, the lists and their changes, the
// exact bytes of schemas and results, limits of time and size, and the way to the user.
//
// [Start] begins to connect and returns at once. [Servers.Sync], which a host calls between
// turns, puts changed lists of tools into the registry. Nothing else changes it, so a pool
// stays the same while the model answers.
//
//	servers := mcp.Start(session, registry, mcp.Options{}, configured...)
//	err := registry.Add(servers.Tools()...)
//	for { // each turn
//		servers.Sync(ctx)
//		pool := registry.AssemblePool(session, pegboard.PoolConfig{})
//		...
//	}
//
// One Servers is for one conversation. A host with several gives each a registry of its
// own; adding the same built-in tools to each costs little.
//
// The page docs/mcp.md of the module has the configuration, the rules, the limits, and what
// becomes of servers that misbehave.
//
// # Trust
//
// A server is started as the configuration says: whether it may run is the host's decision.
// After that nothing of it is trusted. Its hints can make a call run in fewer cases, never in
// more, unless [Options.Trusted] says otherwise; no hint lets a call run unasked. Its name,
// title and description are shown, and mean nothing.
//
// # Concurrency
//
//  1. All functions and methods may be called concurrently.
//  2. Funcs of [Options] are called on any goroutine, and concurrently for different servers.
//  3. When [Servers.Close] has returned nil, nothing of the servers is left: no process, no
//     connection, no goroutine.
//  4. A call has one end, whatever the server sends: its result, an error, or a task in the
//     background.
package mcp
