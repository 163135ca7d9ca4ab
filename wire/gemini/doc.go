// Package gemini is the [wire.Codec] of the Gemini API: generateContent and
// streamGenerateContent, of the Gemini Developer API and of Vertex AI. See package wire for
// the steps of a turn.
//
// A message of History or Results is one element of the request's member "contents".
// History holds the parts of the reply, unchanged and in their order: thinking,
// signatures, and parts that this package does not know. A call whose arguments came in
// pieces is one part, with the object that they add up to. History leaves out incomplete
// calls, a second call with the same id, and empty text without a signature. If nothing but
// thinking is left, it is empty.
//
// # Names and schemas
//
// A name of the API has 1 to 63 letters, digits, _ and -, and begins with a letter or _,
// which every version of the API takes.
//
// A schema is sent as "parameters", the subset of OpenAPI of which every member is
// documented. A schema that this form cannot express, such as one that refers to itself, is
// sent as "parametersJsonSchema"; [Config].JSONSchema asks for that in all cases. A tool
// that takes nothing has neither, since the API refuses an object without properties.
// Whatever the form leaves out, the input of a call is checked against the tool's own
// schema. Strict and Examples of a definition have no counterpart in this API: such a tool
// is sent like any other.
//
// # Ids
//
// Not every model gives its calls an id. A call without one gets the id of the response
// and its place among the calls of the reply, as in "dqHOab6x-1", so that the id is unique
// in the conversation and the same whenever the same bytes are read. The API never sees
// such an id: History holds the call as the model sent it, and Results answer it by name
// and order.
//
// # Streamed arguments
//
// A request may ask for arguments in pieces (streamFunctionCallArguments). The pieces name
// values by path and are put together to one object, in the order in which they arrive.
// Only the Input of these calls differs from the bytes of the model.
//
// # Broken replies
//
// A reply that ends without a finishReason counts as cut. One that has it may go on: only
// the end of the body, or a part of another response, ends a stream. Of several candidates
// the one with index 0 is read.
//
// Unknown parts are kept as they are. Everything that differs from the API's
// documentation, a reply of more than 262,144 parts, and arguments in pieces of more than
// 262,144 values end the reply with [wire.ErrMalformed].
package gemini
