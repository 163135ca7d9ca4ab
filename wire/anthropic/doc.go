// Package anthropic is the [wire.Codec] of the Anthropic Messages API. See package wire
// for the steps of a turn.
//
// A message of History or Results is one element of the request's member "messages".
// History holds the blocks of the reply, unchanged: thinking with its signature, calls of
// server tools, and kinds of block that this package does not know. It leaves out
// incomplete calls, a second call with the same id, blank text, other incomplete blocks,
// and thinking that nothing follows.
//
// # Names
//
// The API takes names of 1 to 64 letters, digits, _ and -.
//
// # Prompt cache
//
// The bytes of the tools depend on the tools and the [Config] alone: first the server
// tools, then the built-in tools, then the external tools, and no part depends on those
// after it. [Config].Cache marks where the API may cache them.
//
// # Broken replies
//
// Event types, blocks and deltas that are not known are kept or ignored, and so is a
// repeated message_start. Blocks may arrive interleaved, but they begin in the order of
// their index: a gap means that something was lost, perhaps a call, and ends the reply
// with [wire.ErrMalformed]. So does everything else that differs from the API's
// documentation, and a reply of more than 131,072 blocks.
package anthropic
