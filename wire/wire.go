// Package wire lets one host speak to several providers. Each package below it has a
// [Codec] for the API of one provider:
//
//   - wire/anthropic: the Anthropic Messages API
//   - wire/openai/chat: Chat Completions of OpenAI and of services that speak it
//   - wire/openai/responses: the Responses API of OpenAI
//   - wire/gemini: generateContent and streamGenerateContent of Gemini
//
// A host holds a Codec in one variable and chooses the provider at run time. Bytes go
// in and bytes come out: no package here needs an SDK, and each goes with any SDK that
// lets raw JSON through.
//
// One turn takes three steps.
//
//  1. The package's New makes the Codec of a pool. Its Tools are the request's member
//     "tools", and Choice returns the members that say which of them may be called.
//  2. [ReadResponse] reads the reply in an HTTP response, streamed or whole; Read reads
//     it from the body alone. [Reply].Events yields text as it is written and each call
//     as soon as it is complete, and before that the part of it that has arrived, for
//     user interfaces; [Reply].Message returns the whole message. [Retryable]
//     tells whether it makes sense to send the request again after an error.
//  3. [Message].History and the Codec's Results are the next messages of the
//     conversation: the model's, unchanged, and one result for each of its calls.
//     Sent in this order they are a request that the provider takes, whatever became
//     of the calls and of the reply.
//
// Normalize repairs a conversation that was interrupted, cut or kept in pieces. Trim
// replaces results that are too long for the request. Loaded and Recall keep track of
// tools whose definitions are deferred until a search has found them.
//
// # Calls in a text
//
// Weaker models, and servers without a parser for their model, write calls into the text of
// a reply. With TextCalls in the Config of a package, its Codec finds them when a whole
// reply has no call of its own: <invoke>, <tool_call>, <function=…>, [TOOL_CALLS] and
// <|python_tag|> at the end of the text, and JSON with a name and arguments that is the whole
// text or a fenced block at its end. All calls must name tools of the request. The values
// are taken as they are: nothing is repaired, and text that does not match such a form exactly
// stays text. A parameter in tags is text, unless the tool's schema wants JSON and it is JSON.
//
// Such a call comes after all other events of the reply, and its FromText is set. It is
// decided like any other. The text stays in [Message].Text, which a user has read already,
// and in History. Since the provider knows of no call, Results says the results in words of
// the user. Loaded and Trim find them there, if their Codec has TextCalls, too.
//
// A model that quotes a call at the very end of its reply makes it. Where the content that
// a model reads is not to be trusted, let rules decide what such a call may do, and leave
// TextCalls off for models that do not need it.
//
// # Problems
//
// [Lint] reports, before any request is sent, the tools of a pool that a provider refuses
// or takes only in a weaker form.
package wire
