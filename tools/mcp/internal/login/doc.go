// Package login holds the user's authorization at an MCP server that is reached over a
// network. The SDK does the OAuth; this package shows the user where to log in, keeps what
// was granted, renews it, and decides which hosts may be asked.
//
//	l := login.New(login.Config{...})
//	transport.OAuthHandler = l.Handler() // a request that needs the user fails with Config.Required
//	err := l.LogIn(ctx, user)            // later, when the user can be asked
//
// # Concurrency
//
//  1. All methods of a Login may be called concurrently. One user is led through one login
//     of a server at a time.
//  2. A token is renewed once, however many requests wait for it.
package login
