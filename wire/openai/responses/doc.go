// Package responses is the form that a pool, a reply and the outputs of calls take
// in the Responses API of OpenAI. Bytes go in and bytes come out: it needs no SDK,
// and goes with any that lets raw JSON through.
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
//  3. [Message.History] and [Message.Results] are the next items of the input:
//     what the model said, unchanged, and one output for each of its calls.
//     Appended in this order they are an input that the API takes, whatever became
//     of the calls and of the reply.
//
// The request that goes on with a conversation sends all of it, with "store":
// false and, for models that reason, "include": ["reasoning.encrypted_content"]:
// then History keeps the reasoning between its calls and their outputs.
//
// # Names and schemas
//
// A pool takes any name, the API letters, digits, _ and -, of which 64 are safe
// everywhere. Other names are mapped there and back, so that neither the tools nor
// the rules of a host know of it. The name of a built-in depends on the built-ins
// alone.
//
// The model of a strict tool writes null for an optional property that it leaves
// out. The call is handed out without these nulls, as the tool's own schema wants
// it. That is the only change to what the model wrote; History holds the original.
//
// # Search for tools
//
// Tools that are deferred are shown to the model once they were found: by the API
// with [HostedSearch], by a tool of the pool with [ClientSearch]. Without these
// options they are left out of the request until [pegboard.ToolSearch] has found them,
// and then come after all others. A reference to a tool in any other result becomes a
// block of definitions in its text.
//
// [Wire.Loaded] tells which tools a conversation has made known, and [Wire.Recall]
// keeps them known when the items that did so are dropped.
//
// # Long conversations
//
// [Wire.Trim] replaces the text of outputs that are too much for the request, as a
// [pegboard.Session] decides. It changes nothing else.
//
// # Broken replies and conversations
//
// Calls that were not finished, because the stream was cut or the tokens ran out,
// are never handed out: they are in [Message.Incomplete]. Arguments that are no
// JSON are handed out as they are; the executor refuses them and tells the model.
//
// A conversation that was interrupted, cut or kept in pieces is repaired by
// [Normalize], right before it is sent.
//
// Items that this package does not know, such as those of tools that the API runs,
// are sent back untouched, and events it does not know are passed over. Items may
// be written at the same time, but they begin in the order of their index: a gap
// means that something was lost, perhaps a call, and ends the reply with
// [ErrMalformed]. So does anything else that is not as documented, an event of
// more than 16 MiB, and a reply of more than 32 MiB.
package responses
