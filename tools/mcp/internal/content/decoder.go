// Package content makes results of the contents that MCP servers send.
//
// It reads the bytes of an answer and knows nothing of connections. Numbers stay as they were
// sent, and a block that is not understood never costs the others.
package content

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/jsonobject"
	"github.com/seed49eaa51d/pegboard/internal/media"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// A Decoder reads what one server sends. Its methods may be called concurrently.
type Decoder struct {
	// Server is the name of the server, for the tool ReadMcpResource.
	Server string
	// Store keeps bytes that a model is not shown, such as sounds. If it is nil, a text says
	// that they were left out.
	Store func(ctx context.Context, mimeType string, r io.Reader) (pegboard.StoredResult, error)
	// Tell is called with the content that is for the user alone: at most once for the result
	// of a call, and for each message of a prompt. If it is nil, the model is shown that
	// content, too.
	Tell func(text string, parts []pegboard.Part)
}

// ForCall returns a Decoder for the answer to a call. It stores bytes under the call's id.
// Content for the user alone is progress of the call, whose data are the parts, a
// []pegboard.Part.
func ForCall(c *pegboard.Call, server string) Decoder {
	return Decoder{
		Server: server, Store: c.StoreRaw,
		Tell: func(text string, parts []pegboard.Part) { c.EmitData(text, parts) },
	}
}

// read returns the members of an answer, which may be of any form. It replaces invalid UTF-8.
func (d Decoder) read(raw json.RawMessage) (members, error) {
	raw = bytes.TrimSpace(raw)
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte(string(utf8.RuneError)))
	}
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return nil, fmt.Errorf("MCP server %s sent an answer that is not a JSON object", strictjson.Quote(d.Server))
	}
	return membersOf(raw), nil
}

// save stores bytes and returns where they are, in a sentence about the subject, such as
// "Content of the type audio/wav". The path is empty if they are in no file.
func (d Decoder) save(ctx context.Context, subject, kind string, data []byte) (sentence, path string) {
	subject = fmt.Sprintf("%s, %d bytes,", subject, len(data))
	if d.Store == nil {
		return "(" + subject + " was left out.)", ""
	}
	stored, err := d.Store(ctx, kind, bytes.NewReader(data))
	if err != nil {
		return fmt.Sprintf("(%s could not be stored: %v.)", subject, err), ""
	}
	place := cmp.Or(stored.Path, stored.Ref)
	if stored.Size < int64(len(data)) {
		place += fmt.Sprintf(", cut after %d bytes", stored.Size)
	}
	return fmt.Sprintf("(%s is in %s.)", subject, place), stored.Path
}

// maxElements is how many elements of a list are looked at. The others are stored together.
const maxElements = 1000

// list returns the elements of a list, and a part about those that are too many. Noun names
// the elements, such as "messages".
func (d Decoder) list(ctx context.Context, value []byte, noun string) (elements [][]byte, rest []pegboard.Part) {
	elements, others, count := elementsOf(value, maxElements)
	if count == 0 {
		return elements, nil
	}
	sentence, _ := d.save(ctx, fmt.Sprintf("The rest of the answer, %d %s", count, noun), "application/json", slices.Concat([]byte("["), others, []byte("]")))
	return elements, texts(sentence)
}

// block returns the parts of one block. Its words imitate none of the host.
func (d Decoder) block(ctx context.Context, b block) []pegboard.Part { return harmless(d.sent(ctx, b)) }

// harmless makes the words of a server harmless.
func harmless(parts []pegboard.Part) []pegboard.Part {
	for i := range parts {
		parts[i].Text, parts[i].Title = untrusted.Text(parts[i].Text), untrusted.Escape(parts[i].Title)
	}
	return parts
}

// sent returns the parts of one block as the server sent it.
func (d Decoder) sent(ctx context.Context, b block) []pegboard.Part {
	if text, ok := stringOf(b.json); ok {
		return texts(text)
	}
	switch b.kind {
	case "text":
		if text, ok := b.text("text"); ok {
			return texts(text)
		}
	case "image", "audio":
		if data, ok := b.bytes("data"); ok {
			kind, _ := b.mime()
			return d.data(ctx, kind, "", data).parts
		}
	case "resource":
		if r := b.object("resource"); r != nil {
			if c, ok := d.resource(ctx, r); ok {
				return c.parts
			}
		}
	case "resource_link":
		if uri, ok := b.text("uri"); ok {
			return texts(d.link(b, uri))
		}
	default:
		return texts(fmt.Sprintf("(A block of content of the type %s, which this client does not know, as JSON:)\n%s", strictjson.Quote(b.kind), b.json))
	}
	return texts(fmt.Sprintf("(A block of content of the type %s that is not as the protocol says, as JSON:)\n%s", strictjson.Quote(b.kind), b.json))
}

// texts returns a part with a text.
func texts(text string) []pegboard.Part { return []pegboard.Part{{Text: text}} }

// link words a resource that the server names and does not send.
func (d Decoder) link(b block, uri string) string {
	var about []string
	for _, name := range []string{"title", "name", "mimeType"} {
		if text, ok := b.text(name); ok && strings.TrimSpace(text) != "" && !slices.Contains(about, strictjson.Quote(text)) {
			about = append(about, strictjson.Quote(text))
		}
	}
	if size := b.value("size"); len(size) > 0 && len(size) < maxDigits && size[0] != '"' {
		about = append(about, string(size)+" bytes")
	}
	line := "(A resource"
	if len(about) > 0 {
		line += ": " + strings.Join(about, ", ")
	}
	if text, ok := b.text("description"); ok && strings.TrimSpace(text) != "" {
		line += ". " + strings.TrimSuffix(strings.TrimSpace(text), ".")
	}
	return fmt.Sprintf(`%s. Read it with ReadMcpResource: {"server":%s,"uri":%s})`, line, jsonobject.Quote(d.Server), jsonobject.Quote(uri))
}

const (
	// maxDigits is the maximum length of a size that is repeated.
	maxDigits = 20
	// plainText and anyBytes are the media types of content whose server names none.
	plainText = "text/plain"
	anyBytes  = "application/octet-stream"
)

// maxTitle is how many bytes of an address are shown.
const maxTitle = 2 << 10

// titleOf returns an address as a title.
func titleOf(uri string) string {
	if len(uri) <= maxTitle && !strings.ContainsFunc(uri, unicode.IsControl) {
		return uri
	}
	return pegboard.OneLine(uri)
}

// A loaded resource is one that an answer holds.
type loaded struct {
	parts []pegboard.Part
	text  string
	path  string // of the file that its bytes are stored in
}

// resource returns an embedded resource. False means that it has neither text nor bytes.
func (d Decoder) resource(ctx context.Context, r members) (l loaded, ok bool) {
	uri, _ := r.text("uri")
	kind, _ := r.mime()
	if text, ok := r.text("text"); ok {
		l.text = text
		p := pegboard.Part{Text: text, MIME: cmp.Or(kind, plainText), Title: titleOf(uri)}
		if strings.TrimSpace(text) == "" {
			p = pegboard.Part{Text: fmt.Sprintf("(The resource %s is empty.)", strictjson.Quote(uri))}
		}
		l.parts = []pegboard.Part{p}
		return l, true
	}
	data, ok := r.bytes("blob")
	if !ok {
		return l, false
	}
	return d.data(ctx, kind, uri, data), true
}

// data returns bytes that an answer holds. Images of a known type are shown; images of
// resources, and all other bytes, are stored. URI is the address of a resource, or empty.
func (d Decoder) data(ctx context.Context, kind, uri string, data []byte) (l loaded) {
	if image, err := media.Describe(data); err == nil {
		kind = image.Type
		l.parts = []pegboard.Part{{MIME: kind, Data: data, Title: titleOf(uri)}}
		if uri == "" {
			return l
		}
	}
	kind = cmp.Or(kind, anyBytes)
	subject := "Content of the type " + kind
	if uri != "" {
		subject = fmt.Sprintf("The resource %s of the type %s", strictjson.Quote(uri), kind)
	}
	sentence, path := d.save(ctx, subject, kind, data)
	l.path = path
	l.parts = append(l.parts, pegboard.Part{Text: sentence})
	return l
}

// CallResult returns the result of an answer to tools/call. It keeps no reference to raw. The
// result of an answer that cannot be read is an error for the model.
//
// Data is the structuredContent as it was sent, a json.RawMessage. The model is shown it as
// text only if there is no content.
func (d Decoder) CallResult(ctx context.Context, raw json.RawMessage) *pegboard.Result {
	answer, err := d.read(raw)
	if err != nil {
		return failure(err.Error() + ". It is unknown what the call did.")
	}
	if text := d.unfinished(answer); text != "" {
		return failure(text)
	}
	r := &pegboard.Result{IsError: isTrue(answer.value("isError"))}
	if structured := answer.value("structuredContent"); structured != nil {
		r.Data = json.RawMessage(bytes.Clone(structured))
	}
	r.Parts = d.content(ctx, answer.value("content"))
	if slices.ContainsFunc(r.Parts, says) {
		return r
	}
	for _, name := range []string{"structuredContent", "toolResult"} { // the latter is that of version 2024-10-07
		if value := answer.value(name); value != nil {
			r.Parts = harmless(texts(string(value)))
			return r
		}
	}
	return r
}

// unfinished returns a text about an answer that is no result yet, or "".
func (d Decoder) unfinished(answer members) string { return untrusted.Escape(d.status(answer)) }

// status is unfinished, with the words of the server as they are.
func (d Decoder) status(answer members) string {
	kind, _ := answer.text("resultType")
	task := answer.object("task")
	if _, ok := task.text("taskId"); ok && answer.value("content") == nil && kind == "" { // version 2025-11-25
		kind = "task"
	}
	if kind == "" || kind == "complete" {
		return ""
	}
	server := strictjson.Quote(d.Server)
	switch kind {
	case "task":
		id, ok := answer.text("taskId")
		if !ok {
			id, _ = task.text("taskId")
		}
		return fmt.Sprintf("MCP server %s answered with the task %s instead of a result, and this client does not support tasks. "+
			"The work may go on there, and its result will not arrive. Do not repeat the call before you have found out what it did, or tell the user.", server, strictjson.Quote(id))
	case "input_required":
		return fmt.Sprintf("MCP server %s asked for further input instead of answering, and this client could not give it. Tell the user.", server)
	}
	if answer.value("content") != nil || answer.value("structuredContent") != nil {
		return ""
	}
	return fmt.Sprintf("MCP server %s answered with a result of the type %s, which this client does not know. It is unknown what the call did. Tell the user.", server, strictjson.Quote(kind))
}

// says reports whether a part is more than blank text.
func says(p pegboard.Part) bool { return len(p.Data) > 0 || strings.TrimSpace(p.Text) != "" }

func failure(text string) *pegboard.Result {
	return &pegboard.Result{Parts: []pegboard.Part{{Text: text}}, IsError: true}
}

// isTrue reports whether a mark of failure is set. A value that is no boolean sets it.
func isTrue(value []byte) bool { return len(value) > 0 && string(value) != "false" }

// maxParts is how many parts an answer may have before its texts are joined.
const maxParts = 100

// content returns the parts for the model of the member content, a list of blocks. It takes a
// block on its own for a list of one, and a text for a block of text. Content for the user
// alone goes to Tell.
func (d Decoder) content(ctx context.Context, value []byte) []pegboard.Part {
	blocks, rest := d.list(ctx, value, "blocks of content")
	if len(value) > 0 && value[0] != '[' {
		blocks = [][]byte{value}
	}
	var parts, told []pegboard.Part
	for _, raw := range blocks {
		b := blockOf(raw)
		if d.Tell != nil && b.isForUser() {
			told = append(told, d.block(ctx, b)...)
		} else {
			parts = append(parts, d.block(ctx, b)...)
		}
	}
	parts = append(parts, rest...)
	if len(told) > 0 {
		told = joined(told)
		d.Tell(wordsFor(told), told)
		if len(parts) == 0 {
			parts = []pegboard.Part{{Text: "(The server's answer is for the user alone, who was shown it.)"}}
		}
	}
	return joined(parts)
}

// wordsFor returns parts as a text for the user.
func wordsFor(parts []pegboard.Part) string {
	var words []string
	for _, p := range parts {
		if len(p.Data) > 0 {
			p.Text = fmt.Sprintf("(An image of the type %s, %d bytes.)", p.MIME, len(p.Data))
		}
		words = append(words, p.Text)
	}
	return strings.Join(words, "\n")
}

// joined returns parts. If there are too many, it joins neighbouring texts, and makes texts of
// documents.
func joined(parts []pegboard.Part) []pegboard.Part {
	if len(parts) <= maxParts {
		return parts
	}
	var kept []pegboard.Part
	var texts []byte
	flush := func() {
		if len(texts) > 0 {
			kept, texts = append(kept, pegboard.Part{Text: string(texts)}), nil
		}
	}
	for _, p := range parts {
		if len(p.Data) > 0 {
			flush()
			kept = append(kept, p)
			continue
		}
		if len(texts) > 0 {
			texts = append(texts, '\n')
		}
		if p.Title != "" {
			texts = fmt.Appendf(texts, "Title: %s\n", p.Title)
		}
		texts = append(texts, p.Text...)
	}
	flush()
	return kept
}

// Prompt returns the messages of an answer to prompts/get. If not all of them are the user's,
// a line before each tells whose it is.
func (d Decoder) Prompt(ctx context.Context, raw json.RawMessage) ([]pegboard.Part, error) {
	answer, err := d.read(raw)
	if err != nil {
		return nil, err
	}
	if text := d.unfinished(answer); text != "" {
		return nil, errors.New(text)
	}
	var messages []members
	list, rest := d.list(ctx, answer.value("messages"), "messages")
	for _, raw := range list {
		messages = append(messages, membersOf(raw))
	}
	if len(messages) == 0 {
		return nil, fmt.Errorf("MCP server %s answered with a prompt without messages", strictjson.Quote(d.Server))
	}
	ownWords := !slices.ContainsFunc(messages, func(m members) bool { return roleOf(m) != "user" })
	var parts []pegboard.Part
	for _, m := range messages {
		if !ownWords {
			parts = append(parts, pegboard.Part{Text: roleOf(m) + ":"})
		}
		parts = append(parts, d.content(ctx, m.value("content"))...)
	}
	return joined(append(withoutRefusedImages(parts), rest...)), nil
}

// withoutRefusedImages replaces images that a provider might refuse, as the executor does in
// results of calls.
func withoutRefusedImages(parts []pegboard.Part) []pegboard.Part {
	for i, p := range parts {
		if len(p.Data) == 0 {
			continue
		}
		if refused := media.Check(p.Data, p.MIME, media.Limits{Edge: media.AnthropicManyEdge}); refused != nil {
			parts[i] = pegboard.Part{Text: "(" + refused.Text + ")"}
		}
	}
	return parts
}

// roleOf returns the role of a message, or a word for one that the protocol does not know.
func roleOf(m members) string {
	switch role, _ := m.text("role"); role {
	case "user", "assistant":
		return role
	}
	return "unknown"
}

// Resources is the output of the tool ReadMcpResource, as Claude Code documents it.
type Resources struct {
	Contents []Resource `json:"contents"`
}

// A Resource is one of the contents of a resource that was read.
type Resource struct {
	URI         string `json:"uri"`
	MIMEType    string `json:"mimeType,omitempty"`
	Text        string `json:"text,omitempty"`
	BlobSavedTo string `json:"blobSavedTo,omitempty"` // the path of the file that holds its bytes
}

// Resource returns the result of an answer to resources/read. Its Data is a [Resources]. The
// error is worded for the model. Contents that are neither text nor bytes are named in the
// parts.
func (d Decoder) Resource(ctx context.Context, raw json.RawMessage) (*pegboard.Result, error) {
	answer, err := d.read(raw)
	if err != nil {
		return nil, err
	}
	if text := d.unfinished(answer); text != "" {
		return nil, errors.New(text)
	}
	value := answer.value("contents")
	contents, rest := d.list(ctx, value, "contents")
	if len(value) > 0 && value[0] == '{' {
		contents = [][]byte{value}
	}
	if contents == nil && string(value) != "[]" {
		return nil, fmt.Errorf("MCP server %s answered without the contents of the resource", strictjson.Quote(d.Server))
	}
	r, output := &pegboard.Result{}, Resources{Contents: []Resource{}}
	for _, raw := range contents {
		m := membersOf(raw)
		l, ok := d.resource(ctx, m)
		if !ok {
			r.Parts = append(r.Parts, texts(fmt.Sprintf("(A content that has neither a text nor bytes, as JSON:)\n%s", raw))...)
			continue
		}
		uri, _ := m.text("uri")
		_, spelled := m.mime()
		output.Contents = append(output.Contents, Resource{URI: uri, MIMEType: spelled, Text: l.text, BlobSavedTo: l.path})
		r.Parts = append(r.Parts, l.parts...)
	}
	r.Parts, r.Data = joined(append(harmless(r.Parts), rest...)), output
	if len(r.Parts) == 0 {
		r.Parts = texts("(The resource has no contents.)")
	}
	return r, nil
}
