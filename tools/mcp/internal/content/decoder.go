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
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
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
