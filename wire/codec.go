package wire

import (
	"context"
	"encoding/json"
	"io"

	"github.com/seed49eaa51d/pegboard"
)

// A Codec speaks the API of one provider for the tools of one pool. Make one for each
// request: the form of a tool is made once and remembered with the tool, so that the
// Codec of the next turn's pool costs little.
//
// A message is one element of the list that holds the conversation in a request: of
// "messages" (Anthropic, Chat Completions), "input" (Responses, which calls it an item)
// or "contents" (Gemini, which calls it a content). All other members of the request are
// the host's, and so is sending it.
//
// The methods do not change the messages that they are given; the messages that they
// return may share bytes with those. The same arguments give the same bytes in every
// process, which keeps a cached prompt valid.
//
// # Concurrency
//
// A Codec never changes. Its methods may be called concurrently.
type Codec interface {
	// Tools returns the value of the request's member "tools": an array, in the order of
	// the pool. The bytes of the built-in tools do not depend on the external tools,
	// which come after them. The caller must not change the bytes.
	//
	// A tool whose definition is deferred is sent once [pegboard.ToolSearch] has found
	// it, after all other tools, so that a cached prompt stays valid. In a pool without
	// ToolSearch no tool is deferred. Anthropic and Responses can search tools themselves
	// and differ; their packages document it.
	//
	// A parameter, which is a property of the schema's root, has another name here if the
	// provider does not take its own: for Gemini -i becomes _i, and its description says
	// so. Calls come back with the name that the tool declares.
	Tools() json.RawMessage
	// Omitted returns the tools that Tools leaves out because the provider would refuse
	// the whole request for them, in the order of the pool. [Lint] also reports tools that
	// are sent in a weaker form.
	Omitted() []Problem
	// Name returns the provider's name for a tool of the pool. A name that the provider
	// takes stays; any other is folded to letters, digits, _ and -, and ends in a hash of
	// the whole name. Calls come back with the name in the pool. The name of a built-in
	// tool depends on the built-in tools alone.
	Name(tool string) string
	// Choice returns the members of the request that say c, as a JSON object to merge
	// into the request. It is {} if nothing has to be said, as without tools.
	//
	// A tool of Omitted cannot be chosen: the provider refuses the request. A deferred
	// tool that is not loaded yet cannot be called. If it is the one to call, the model
	// decides; among several it is passed over, and if none is left, the model may call
	// none.
	Choice(c Choice) json.RawMessage

	// Read returns the reply in the body of a response. The bytes tell whether the reply
	// was streamed or came whole, and whether it is an error of the provider: the HTTP
	// status and the content type do not matter. The error of an
	// empty body, or of one that is no reply, says that the reply was cut; a host that has
	// the response calls [ReadResponse], whose error says more.
	//
	// Read itself reads nothing; the methods of the Reply do. The Reply does not use
	// bytes that follow the message, and the caller closes body. One event is at most 16
	// MiB long and the whole reply 32 MiB; more is [ErrMalformed].
	Read(body io.Reader) Reply

	// User returns parts as a message of the user, or nil if there is nothing to say.
	User(parts ...pegboard.Part) []json.RawMessage
	// Results returns the messages that answer m: one result for each call in m.History,
	// in that order, then m.Notice, the Messages of these results and last more, all as words
	// of the user. They belong right after m.History. It is nil if there is nothing to say. The
	// host does not send the Messages of a [pegboard.Result] itself. It is nil, too, while an
	// outcome wraps [pegboard.ErrSuspended]: the message is answered as a whole.
	//
	// An outcome belongs to the call with its id. Of several with one id, the first
	// counts that does not wrap [pegboard.ErrDuplicate], and of those that do the Messages;
	// outcomes of other calls are left out. A call without an outcome is answered as not run,
	// so that the request stays valid after any interruption.
	//
	// Parts of a result that the provider cannot hold are replaced by text that tells the
	// model so. A reference to a tool becomes a reference (Anthropic) or the tool's
	// definition.
	Results(m *Message, outcomes []pegboard.Outcome, more ...pegboard.Part) []json.RawMessage

	// Normalize repairs the messages of a conversation, so that the provider does not
	// refuse them for their calls and results: after an interruption or a crash, when
	// messages were cut off, repeated or reordered, or when results were kept one by one.
	// It returns the messages to send, and the repairs in the order of the messages
	// given. Call it when all results are in, right before the request: calls of the last
	// message are answered, too.
	//
	// Each call then has one result, right after the model's message and in the order of
	// the calls. [RepairKind] lists the repairs. A message that needs no repair is
	// returned as it is, byte for byte, and so is every block of the others. Normalizing
	// twice changes nothing. Calls that the provider answers itself stay, and so do messages
	// that the provider may refuse for other reasons. With Suspended in the Config, calls of
	// the last turn that makes any stay without a result.
	Normalize(messages []json.RawMessage) ([]json.RawMessage, []Repair)
	// Trim returns the messages with the text of some results replaced, as s says. Call it
	// right before each request, on all messages as they were and not as Trim returned
	// them before.
	//
	// s sees every result of a call, in order. Turn is the number of the model's messages
	// before it. Fixed is set if the result makes tools known to the model: a Fixed result
	// is never replaced, nor is one without text. In Chat Completions and Gemini, whose
	// ids may begin anew in each turn, CallID is the id, or else the name of the function,
	// then # and a hash of the text: it stays the same when messages are added or removed,
	// and only equal results share one.
	//
	// One text takes the place of all text of a result; images, documents and other
	// blocks stay. A message in which nothing is replaced is returned as it is, byte for
	// byte. Messages that cannot be read stay. Trim adds nothing that Normalize would
	// repair; either may come first.
	Trim(ctx context.Context, messages []json.RawMessage, s Trimmer) []json.RawMessage
	// Loaded returns the tools that a conversation has made known to the model, in the
	// order of their first mention, by their names in the pool: those whose references or
	// definitions stand in a result of [pegboard.ToolSearch], those that a search of the
	// provider found, and those that the model called. Give it to
	// [pegboard.Session.SetLoaded].
	//
	// A result of another tool that looks the same makes nothing known, nor does a result
	// of a search that failed or whose call is not among the messages. Messages that
	// cannot be read are passed over. Tools that are not in the pool are in the list, too:
	// their source may come back.
	Loaded(messages []json.RawMessage) []string
	// Recall returns the messages that keep tools known when the messages that loaded them
	// are dropped, as a compaction of the conversation does: a call of
	// [pegboard.ToolSearch] and its result, as History and Results write them. Give it
	// the earlier result of Loaded; Loaded returns the same tools for these messages.
	//
	// They belong right after a message of the user, such as the summary. Tools that are
	// not deferred, or that the request cannot hold, are left out. If none is left, or the
	// pool has no ToolSearch, Recall returns nil. The id of the call depends on the names
	// of the tools alone.
	Recall(tools []string) []json.RawMessage
}

// A Trimmer decides which results of a conversation are sent whole. A
// [*pegboard.Session] is one: it replaces the results that are too long for the
// request by previews.
type Trimmer interface {
	// TrimResults returns for each result the text that replaces all its text, or "" if
	// the result is sent as it is. Blank texts, and those that are missing at the end,
	// count as "".
	TrimResults(ctx context.Context, results []pegboard.HistoryResult) []string
}

// A Choice says which tools the model may or must call in its next turn. The zero
// Choice leaves that to the model.
type Choice struct {
	Mode ChoiceMode
	// Tool is the one to call, by name or alias, if Mode is One.
	Tool string
	// Tools are the only ones that may be called, by name or alias, if Mode is Auto or
	// Required. Empty means all. Not every provider can say this: the Choice method of its
	// Codec documents the closest form.
	Tools []string
	// Sequential asks for at most one call in a turn, where the provider can.
	Sequential bool
}

// A ChoiceMode says whether the model calls tools in its next turn.
type ChoiceMode int

// The modes that every provider has.
const (
	Auto     ChoiceMode = iota // the model decides
	Required                   // it must call a tool
	None                       // it must not
	One                        // it must call Choice.Tool
)
