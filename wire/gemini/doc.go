// Package gemini is the form that a pool, a reply and the results of calls take in
// the Gemini API: generateContent and streamGenerateContent, of the Gemini Developer
// API and of Vertex AI. Bytes go in and bytes come out: it needs no SDK, and goes
// with any that lets raw JSON through.
//
// One turn takes three steps.
//
//  1. [New] makes the [Wire] of a pool. Its [Wire.Tools] are the request's member
//     "tools", and [Wire.Choice] its "toolConfig". A tool that the API would
//     refuse, and the whole request with it, is left out; [Wire.Omitted] says which
//     and why.
//  2. [Wire.Read] reads the response: whole, as a stream of events (alt=sse), or as
//     the array that a stream is without alt=sse. [Reply.Events] yields text as it
//     is written and each call as soon as it is complete; [Reply.Message] returns
//     what it all came to. Whoever needs no events asks for the Message at once.
//  3. [Message.History] and [Message.Results] are the next two entries of the
//     request's "contents": what the model said, unchanged, and one result for each
//     of its calls. Sent in this order they are a request that the API takes,
//     whatever became of the calls and of the reply.
//
// # Names and schemas
//
// A pool takes any name. Here one has 1 to 63 letters, digits, _ and -, and begins
// with a letter or _, which every version of the API takes. Other names are mapped
// there and back. The name of a built-in depends on the built-ins alone.
//
// A schema goes out as "parameters", the subset of OpenAPI whose every member is
// documented. What that cannot say, such as a schema that refers to itself, goes out
// as "parametersJsonSchema"; [JSONSchema] asks for that in all cases. A tool that
// takes nothing has neither, since the API refuses an object without properties.
// Whatever is lost on the way, the input of a call is held against the tool's own
// schema. Strict and Examples of a definition have no counterpart here: such a tool is
// sent as any other.
//
// # Tools that wait, and results that are too much
//
// The API searches no tools. In a pool with [pegboard.ToolSearch], those whose
// definitions wait are left out of the request until they are loaded, and then come
// last; what a search finds is shown with its whole definition. [Wire.Recall] writes
// them into a conversation that is compacted, and [Wire.Trim] replaces the results that
// a session does not let out whole.
//
// # Ids
//
// Not every model gives its calls an id. A call without one gets the id of the
// response and its place among the calls of the reply, as in "dqHOab6x-1", so that
// the id is unique in the conversation and the same whenever the same bytes are
// read. Such an id stays here: History is what the model said, and Results answer
// such a call by name and order, as the API has it.
//
// # Streamed arguments
//
// A request may ask for arguments in pieces (streamFunctionCallArguments). The
// pieces name values by path and are put together to one object, in the order in
// which they came. Only then is Input not what the model sent byte for byte.
//
// # Broken replies and conversations
//
// Calls that were not finished, because the stream was cut, are never handed out:
// they are in [Message.Incomplete]. A reply that ends without a finishReason counts
// as cut. One that has it may go on: nothing ends a stream but the end of the body,
// or a part of another response. Of several candidates the one with index 0 is read.
//
// A conversation that was interrupted, cut or kept in pieces is repaired by
// [Normalize], right before it is sent.
//
// Parts that are not known are kept as they are. What is not as documented, an event
// of more than 16 MiB, a reply of more than 32 MiB or 262,144 parts, and arguments in
// pieces of more than 262,144 values end the reply with [ErrMalformed].
package gemini
