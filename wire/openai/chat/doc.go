// Package chat is the [wire.Codec] of OpenAI's Chat Completions, a protocol that many
// other services speak, too. See package wire for the steps of a turn.
//
// A message of History or Results is one element of the request's member "messages".
// History holds the text, and the calls with their ids, names and arguments unchanged. It
// also holds the members that the service added for its own use: the reasoning, under the
// name it came with, because some services refuse the next request without it, and all
// other members of a call, such as a signature. It leaves out incomplete calls and a second
// call with the same id. Arguments that are no JSON object are wrapped as
// {"INVALID_JSON": "…"}, and empty ones become {}: OpenAI takes them as they are, but most
// services parse them again in every request.
//
// A stream of OpenAI holds [wire.Usage] only if the request asks for it, with
// {"stream_options":{"include_usage":true}}.
//
// # Names
//
// The API takes names of 1 to 64 letters, digits, _ and -.
//
// # Services that differ
//
// Streams are read in all the forms in which services send them: calls without an index
// or an id, all with the same index, in one piece or in many, with the name repeated or in
// pieces; an error instead of a reply or in the middle of one; nothing after the
// finish_reason. A call without an id gets one that is made of the reply. Of several
// choices the first is read.
//
// # Broken replies
//
// If the model finished, Events also yields calls whose arguments are no JSON; the
// executor refuses them and tells the model.
//
// Unknown members of a reply are ignored. A chunk that is no JSON object, a call without
// a name, arguments that continue after their end, and more than 10,000 calls end the
// reply with [wire.ErrMalformed].
package chat
