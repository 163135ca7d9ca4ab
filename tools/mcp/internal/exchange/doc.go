// Package exchange watches the messages of one connection to an MCP server, beside the
// SDK that sends and reads them.
//
// The SDK decodes results into maps and floats, and refuses a result for one part that it
// does not know. So this package keeps the bytes of each result that pegboard reads by
// itself and hands the SDK an empty one. Requests are found again by their progress
// token, which stays the same when the SDK repeats a request.
//
// It also keeps messages from the SDK that would end the connection: text that is no message,
// and answers that are malformed.
package exchange
