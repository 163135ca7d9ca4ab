// Package responses is the [wire.Codec] of the Responses API of OpenAI. See package wire
// for the steps of a turn.
//
// A message of History or Results is an item of the request's member "input". History
// holds all items of the response, unchanged and in order: reasoning stays between its
// neighbours, and so do items of kinds that this package does not know, such as those of
// tools that the API runs. Only arguments that a gateway sent in deltas alone, or as an
// object, become the string that the API wants. History leaves out incomplete calls, a
// second call with the same id, an item that came twice, other items that are not done,
// reasoning that nothing follows, and reasoning that was neither stored nor has encrypted
// content. A message that was cut stays as far as it arrived.
//
// A request that continues a conversation sends all of it, with "store": false and, for
// models that reason, "include": ["reasoning.encrypted_content"]: then History keeps the
// reasoning between its calls and their outputs. A request that continues by
// previous_response_id takes only the Results.
//
// # Names and strict tools
//
// The API takes names of letters, digits, _ and -, of which 64 are safe everywhere.
//
// The model of a strict tool writes null for an optional property that it leaves out.
// [wire.Message].Calls hold the input without these nulls, as the tool's own schema wants
// it; History holds the original.
//
// # Search for tools
//
// The model sees the definitions of deferred tools once they were found: by the API with
// [Config].HostedSearch, by a tool of the pool with [Config].ClientSearch. Without these
// two, they are left out of the request until [pegboard.ToolSearch] has found them, and
// then come after all other tools. In any other result, a reference to a tool becomes a
// block of definitions in the text.
//
// # Broken replies
//
// Events of unknown types are ignored. Items may arrive interleaved, but they begin in
// the order of their index: a gap means that something was lost, perhaps a call, and ends
// the reply with [wire.ErrMalformed]. So does everything else that differs from the API's
// documentation.
package responses
