// Package chat is the form that a pool, a reply and the results of calls take in
// OpenAI's Chat Completions, which many other services speak, too. Bytes go in and
// bytes come out: it needs no SDK, and goes with any that lets raw JSON through.
//
// One turn takes three steps.
//
//  1. [New] makes the [Wire] of a pool. Its [Wire.Tools] are the request's
//     member "tools", and [Wire.Choice] the members that say which of them may be
//     called. A tool that the API would refuse, and the whole request with it, is
//     left out; [Wire.Omitted] says which and why.
//  2. [Wire.Read] reads the response, streamed or whole. [Reply.Events] yields
//     text as it is written and each call as soon as it is complete;
//     [Reply.Message] returns what it all came to. Whoever needs no events asks
//     for the Message at once.
//  3. [Message.History] and [Message.Results] are the next messages of the
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
// # Tools that wait, and results that are too much
//
// The API searches no tools. In a pool with [pegboard.ToolSearch], those whose
// definitions wait are left out of the request until they are loaded, and then come
// last; what a search finds is shown with its whole definition. [Wire.Recall] writes
// them into a conversation that is compacted, and [Wire.Trim] replaces the results that
// a session does not let out whole.
//
// # Services that differ
//
// Streams are read as services send them: calls without a number or an id, all
// numbered alike, in one piece or in many, with the name repeated or in pieces; an
// error where a reply should be or in its midst; no word after the finish_reason.
// A call without an id gets one that follows from the reply. Of several choices
// the first is read.
//
// # Broken replies and conversations
//
// Calls that were not finished, because the stream was cut or the tokens ran out,
// are never handed out: they are in [Message.Incomplete]. If the model finished,
// arguments that are no JSON are handed out as they are; the executor refuses them
// and tells the model.
//
// A conversation that was interrupted, cut or kept in pieces is repaired by
// [Normalize], right before it is sent.
//
// What is not known in a reply is passed over. A chunk that is no JSON object, a
// call without a name, arguments that go on after their end, more than 10,000
// calls, an event of more than 16 MiB and a reply of more than 32 MiB end the reply
// with [ErrMalformed].
package chat
