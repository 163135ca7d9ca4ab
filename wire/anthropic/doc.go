// Package anthropic is the form that a pool, a reply and the results of calls
// take in the Anthropic Messages API. Bytes go in and bytes come out: it needs no
// SDK, and goes with any that lets raw JSON through.
//
// One turn takes three steps.
//
//  1. [New] makes the [Wire] of a pool. Its [Wire.Tools] are the request's
//     member "tools", and [Wire.Choice] is its "tool_choice". A tool that the API
//     would refuse, and the whole request with it, is left out or sent as less than
//     it was declared; [Wire.Omitted] says which and why.
//  2. [Wire.Read] reads the response, streamed or whole. [Reply.Events] yields
//     text as it is written and each call as soon as it is complete;
//     [Reply.Message] returns what it all came to. Whoever needs no events asks
//     for the Message at once.
//  3. [Message.History] and [Message.Results] are the next two messages of the
//     conversation: what the model said, unchanged, and one result for each of
//     its calls. Sent in this order they are a request that the API takes,
//     whatever became of the calls and of the reply.
//
// # Names
//
// A pool takes any name, the API 1 to 64 letters, digits, _ and -. Other names
// are mapped there and back, so that neither the tools nor the rules of a host
// know of it. The name of a built-in depends on the built-ins alone.
//
// # Tools that are not seen at once
//
// A deferred tool is sent, but the model sees it only once a search has found it:
// one that the API runs, see [ServerTools], or a tool of the pool whose result holds
// parts with a Tool, as [pegboard.ToolSearch] is. [Wire.Loaded] says which tools a
// conversation has made known. [Wire.Recall] keeps them known when the messages that
// did so are dropped.
//
// # Long conversations
//
// [Wire.Trim] replaces the text of results that are too much for the request, as a
// [pegboard.Session] decides. It changes nothing else.
//
// # What the cache of prompts sees
//
// The bytes of the tools depend on the tools and the options alone: server tools,
// then the built-ins, then the external tools, each part unaffected by those after
// it. [Cached] marks where they may be cached.
//
// # Broken replies and conversations
//
// Calls that were not finished, because the stream was cut or the tokens ran out,
// are never handed out: they are in [Message.Incomplete]. Input that is no JSON
// is handed out as it is; the executor refuses it and tells the model.
//
// A conversation that was interrupted, cut or kept in pieces is repaired by
// [Normalize], right before it is sent. [Wire.Normalize] also knows the tools.
//
// Event types, blocks and deltas that are not known are kept or passed over, and
// a repeated message_start is, too. Blocks may arrive interleaved, but they begin
// in the order of their index: a gap means that something was lost, perhaps a
// call, and ends the reply with [ErrMalformed]. So does anything else that is not
// as documented, an event of more than 16 MiB, and a reply of more than 32 MiB or
// 131,072 blocks.
package anthropic
