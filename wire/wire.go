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
// A call that a model writes into its text, and does not make in the form of the API, stays
// text. Inference servers, such as vLLM or the server of llama.cpp, have parsers for the
// forms of their models, and then send the calls as the API has them.
//
// # Problems
//
// [Lint] reports, before any request is sent, the tools of a pool that a provider refuses
// or takes only in a weaker form.
package wire
