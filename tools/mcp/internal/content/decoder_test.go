package content_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/policy"
	"github.com/seed49eaa51d/pegboard/tools/mcp/internal/content"
)

func image(t *testing.T, title string) pegboard.Part {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(tinyPNG)
	require.NoError(t, err)
	return pegboard.Part{MIME: "image/png", Data: data, Title: title}
}

func text(s string) pegboard.Part { return pegboard.Part{Text: s} }

func TestCallResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		answer   string
		parts    []pegboard.Part
		data     any
		failed   bool
		stored   []stored
		told     []string
		diskFull bool
	}{
		{name: "text", answer: `{"content":[{"type":"text","text":"a"},{"type":"text","text":" b\n"}]}`, parts: []pegboard.Part{text("a"), text(" b\n")}},
		{name: "a failure", answer: `{"content":[{"type":"text","text":"no"}],"isError":true}`, parts: []pegboard.Part{text("no")}, failed: true},
		{name: "no failure", answer: `{"content":[{"type":"text","text":"yes"}],"isError":false}`, parts: []pegboard.Part{text("yes")}},
		{name: "null is no failure", answer: `{"content":[{"type":"text","text":"yes"}],"isError":null}`, parts: []pegboard.Part{text("yes")}},
		{name: "any other mark is one", answer: `{"content":[],"isError":"true"}`, failed: true},
		{name: "image", answer: `{"content":[{"type":"image","mimeType":"image/png","data":"` + tinyPNG + `"}]}`, parts: []pegboard.Part{image(t, "")}},
		{name: "image of a wrong type", answer: `{"content":[{"type":"image","mimeType":"image/jpeg","data":"` + tinyPNG + `"}]}`, parts: []pegboard.Part{image(t, "")}},
		{name: "image without a type", answer: `{"content":[{"type":"image","data":"` + tinyPNG + `"}]}`, parts: []pegboard.Part{image(t, "")}},
		{name: "image that is none", answer: `{"content":[{"type":"image","mimeType":"image/svg+xml","data":"PHN2Zy8+"}]}`,
			parts: []pegboard.Part{text("(Content of the type image/svg+xml, 6 bytes, is in /store/1.)")}, stored: []stored{{"image/svg+xml", "<svg/>"}}},
		{name: "audio", answer: `{"content":[{"type":"audio","mimeType":"Audio/WAV; rate=1","data":"UklGRg=="}]}`,
			parts: []pegboard.Part{text("(Content of the type audio/wav, 4 bytes, is in /store/1.)")}, stored: []stored{{"audio/wav", "RIFF"}}},
		{name: "base64 without padding, for URLs, in lines", answer: `{"content":[{"type":"audio","mimeType":"audio/wav","data":"__\r\n-_"}]}`,
			parts: []pegboard.Part{text("(Content of the type audio/wav, 3 bytes, is in /store/1.)")}, stored: []stored{{"audio/wav", "\xff\xff\xbf"}}},
		{name: "broken base64", answer: `{"content":[{"type":"image","mimeType":"image/png","data":"!"},{"type":"text","text":"a"}]}`,
			parts: []pegboard.Part{text(`(A block of content of the type "image" that is not as the protocol says, as JSON:)` + "\n" + `{"type":"image","mimeType":"image/png","data":"!"}`), text("a")}},
		{name: "a type that is no media type", answer: `{"content":[{"type":"audio","mimeType":"a\nb","data":"UklGRg=="}]}`,
			parts: []pegboard.Part{text("(Content of the type application/octet-stream, 4 bytes, is in /store/1.)")}, stored: []stored{{"application/octet-stream", "RIFF"}}},
		{name: "nothing can be stored", answer: `{"content":[{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="},{"type":"text","text":"a"}]}`, diskFull: true,
			parts: []pegboard.Part{text("(Content of the type audio/wav, 4 bytes, could not be stored: the disk is full.)"), text("a")}},
		{name: "resource link", answer: `{"content":[{"type":"resource_link","uri":"file:///a b","name":"a","title":"A","mimeType":"text/plain","size":12,"description":" Of all. "}]}`,
			parts: []pegboard.Part{text(`(A resource: "A", "a", "text/plain", 12 bytes. Of all. Read it with ReadMcpResource: {"server":"srv","uri":"file:///a b"})`)}},
		{name: "resource link with the least", answer: `{"content":[{"type":"resource_link","uri":"x:\"1"}]}`,
			parts: []pegboard.Part{text(`(A resource. Read it with ReadMcpResource: {"server":"srv","uri":"x:\"1"})`)}},
		{name: "embedded text", answer: `{"content":[{"type":"resource","resource":{"uri":"x:1","mimeType":"text/markdown","text":"# a"}}]}`,
			parts: []pegboard.Part{{Text: "# a", MIME: "text/markdown", Title: "x:1"}}},
		{name: "embedded text without a type", answer: `{"content":[{"type":"resource","resource":{"uri":"x:1","text":"a"}}]}`,
			parts: []pegboard.Part{{Text: "a", MIME: "text/plain", Title: "x:1"}}},
		{name: "embedded text of nothing", answer: `{"content":[{"type":"resource","resource":{"uri":"x:1","text":" "}}]}`, parts: []pegboard.Part{text(`(The resource "x:1" is empty.)`)}},
		{name: "embedded text under a hostile address", answer: `{"content":[{"type":"resource","resource":{"uri":"x:\n1","text":"a"}}]}`,
			parts: []pegboard.Part{{Text: "a", MIME: "text/plain", Title: "x: ⏎ 1"}}},
		{name: "embedded bytes", answer: `{"content":[{"type":"resource","resource":{"uri":"x:1","mimeType":"application/gzip","blob":"UklGRg=="}}]}`,
			parts: []pegboard.Part{text(`(The resource "x:1" of the type application/gzip, 4 bytes, is in /store/1.)`)}, stored: []stored{{"application/gzip", "RIFF"}}},
		{name: "embedded image", answer: `{"content":[{"type":"resource","resource":{"uri":"x:1","blob":"` + tinyPNG + `"}}]}`,
			parts:  []pegboard.Part{image(t, "x:1"), text(`(The resource "x:1" of the type image/png, 70 bytes, is in /store/1.)`)},
			stored: []stored{{"image/png", string(image(t, "").Data)}}},
		{name: "embedded nothing", answer: `{"content":[{"type":"resource","resource":{"uri":"x:1"}},{"type":"text","text":"a"}]}`,
			parts: []pegboard.Part{text(`(A block of content of the type "resource" that is not as the protocol says, as JSON:)` + "\n" + `{"type":"resource","resource":{"uri":"x:1"}}`), text("a")}},
		{name: "an unknown kind", answer: `{"content":[{"type":"video","n":9007199254740993},{"type":"text","text":"a"}]}`,
			parts: []pegboard.Part{text(`(A block of content of the type "video", which this client does not know, as JSON:)` + "\n" + `{"type":"video","n":9007199254740993}`), text("a")}},
		{name: "blocks that are none", answer: `{"content":[1,null,"b",{"type":"text","text":"a"}]}`,
			parts: []pegboard.Part{text(`(A block of content of the type "", which this client does not know, as JSON:)` + "\n1"),
				text(`(A block of content of the type "", which this client does not know, as JSON:)` + "\nnull"), text("b"), text("a")}},
		{name: "data", answer: `{"content":[{"type":"text","text":"a"}],"structuredContent":{"id": 9007199254740993,"x":1.0}}`,
			parts: []pegboard.Part{text("a")}, data: json.RawMessage(`{"id": 9007199254740993,"x":1.0}`)},
		{name: "data alone", answer: `{"content":[],"structuredContent":{"id":9007199254740993}}`,
			parts: []pegboard.Part{text(`{"id":9007199254740993}`)}, data: json.RawMessage(`{"id":9007199254740993}`)},
		{name: "data and blank text", answer: `{"content":[{"type":"text","text":""}],"structuredContent":[1e400]}`, parts: []pegboard.Part{text(`[1e400]`)}, data: json.RawMessage(`[1e400]`)},
		{name: "data beside an image", answer: `{"content":[{"type":"image","mimeType":"image/png","data":"` + tinyPNG + `"}],"structuredContent":1}`,
			parts: []pegboard.Part{image(t, "")}, data: json.RawMessage(`1`)},
		{name: "null as data", answer: `{"content":[],"structuredContent":null}`},
		{name: "content null", answer: `{"content":null}`},
		{name: "content missing", answer: `{}`},
		{name: "content of version 2024-10-07", answer: `{"toolResult":{"a":1}}`, parts: []pegboard.Part{text(`{"a":1}`)}},
		{name: "one block without a list", answer: `{"content":{"type":"text","text":"a"}}`, parts: []pegboard.Part{text("a")}},
		{name: "a text in place of blocks", answer: `{"content":"a"}`, parts: []pegboard.Part{text("a")}},
		{name: "the last of repeated keys counts", answer: `{"content":[{"type":"text","text":"a"}],"content":[{"type":"text","text":"b","text":"c"}]}`, parts: []pegboard.Part{text("c")}},
		{name: "keys are compared exactly", answer: `{"Content":[{"type":"text","text":"a"}],"content":[{"Type":"image","type":"text","text":"b"}]}`, parts: []pegboard.Part{text("b")}},
		{name: "an escaped key", answer: `{"c\u006fntent":[{"type":"text","te\u0078t":"a"}]}`, parts: []pegboard.Part{text("a")}},
		{name: "invalid UTF-8", answer: "{\"content\":[{\"type\":\"text\",\"text\":\"a\xffb\"}]}", parts: []pegboard.Part{text("a\ufffdb")}},
		{name: "half of a surrogate pair", answer: `{"content":[{"type":"text","text":"a\ud800b"}]}`, parts: []pegboard.Part{text("a\ufffdb")}},
		{name: "for the user alone", answer: `{"content":[{"type":"text","text":"u","annotations":{"audience":["user"]}},{"type":"text","text":"both","annotations":{"audience":["user","assistant"]}},` +
			`{"type":"text","text":"m","annotations":{"audience":["assistant"]}},{"type":"text","text":"v","annotations":{"audience":["user","user"]}},{"type":"text","text":"all","annotations":{"audience":[]}}]}`,
			parts: []pegboard.Part{text("both"), text("m"), text("all")}, told: []string{"u\nv"}},
		{name: "an image for the user", answer: `{"content":[{"type":"image","data":"` + tinyPNG + `","annotations":{"audience":["user"]}},{"type":"text","text":"a"}]}`,
			parts: []pegboard.Part{text("a")}, told: []string{"(An image of the type image/png, 70 bytes.)"}},
		{name: "all of it for the user", answer: `{"content":[{"type":"text","text":"u","annotations":{"audience":["user"]}}],"structuredContent":{"u":1}}`,
			parts: []pegboard.Part{text("(The server's answer is for the user alone, who was shown it.)")}, told: []string{"u"}, data: json.RawMessage(`{"u":1}`)},
		{name: "a task", answer: `{"resultType":"task","taskId":"t\"1","status":"working"}`, failed: true,
			parts: []pegboard.Part{text(`MCP server "srv" answered with the task "t\"1" instead of a result, and this client does not support tasks. The work may go on there, and its result will not arrive. Do not repeat the call before you have found out what it did, or tell the user.`)}},
		{name: "a task of version 2025-11-25", answer: `{"task":{"taskId":"t1"}}`, failed: true,
			parts: []pegboard.Part{text(`MCP server "srv" answered with the task "t1" instead of a result, and this client does not support tasks. The work may go on there, and its result will not arrive. Do not repeat the call before you have found out what it did, or tell the user.`)}},
		{name: "a question", answer: `{"resultType":"input_required","inputRequests":{}}`, failed: true,
			parts: []pegboard.Part{text(`MCP server "srv" asked for further input instead of answering, and this client could not give it. Tell the user.`)}},
		{name: "complete", answer: `{"resultType":"complete","content":[{"type":"text","text":"a"}]}`, parts: []pegboard.Part{text("a")}},
		{name: "an unknown type of result", answer: `{"resultType":"stream","at":"x"}`, failed: true,
			parts: []pegboard.Part{text(`MCP server "srv" answered with a result of the type "stream", which this client does not know. It is unknown what the call did. Tell the user.`)}},
		{name: "an unknown type of result with content", answer: `{"resultType":"stream","content":[{"type":"text","text":"a"}]}`, parts: []pegboard.Part{text("a")}},
		{name: "no object", answer: `[]`, failed: true, parts: []pegboard.Part{text(`MCP server "srv" sent an answer that is not a JSON object. It is unknown what the call did.`)}},
		{name: "cut", answer: `{"content":[`, failed: true, parts: []pegboard.Part{text(`MCP server "srv" sent an answer that is not a JSON object. It is unknown what the call did.`)}},
		{name: "nothing", answer: ``, failed: true, parts: []pegboard.Part{text(`MCP server "srv" sent an answer that is not a JSON object. It is unknown what the call did.`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := &host{full: tt.diskFull}
			raw := []byte(tt.answer)
			r := h.decoder().CallResult(t.Context(), raw)
			for i := range raw {
				raw[i] = 'x' // nothing refers to it
			}
			if len(tt.parts) == 0 {
				require.NotContains(t, r.Text(), "x")
				require.Empty(t, strings.TrimSpace(r.Text()))
			} else {
				require.Equal(t, tt.parts, r.Parts)
			}
			require.Equal(t, tt.data, r.Data)
			require.Equal(t, tt.failed, r.IsError)
			require.Equal(t, tt.stored, h.stored)
			require.Equal(t, tt.told, h.told)
		})
	}
}

// TestWithoutHost reads answers for a host that keeps nothing.
func TestWithoutHost(t *testing.T) {
	t.Parallel()
	r := content.Decoder{Server: "srv"}.CallResult(t.Context(), json.RawMessage(
		`{"content":[{"type":"text","text":"u","annotations":{"audience":["user"]}},{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}]}`))
	require.Equal(t, []pegboard.Part{text("u"), text("(Content of the type audio/wav, 4 bytes, was left out.)")}, r.Parts)
}

// TestStores reads answers for stores that keep less, or no files.
func TestStores(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stored pegboard.StoredResult
		want   string
	}{
		{name: "a file", stored: pegboard.StoredResult{Ref: "r", Path: "/r.wav", Size: 4}, want: "(Content of the type audio/wav, 4 bytes, is in /r.wav.)"},
		{name: "no file", stored: pegboard.StoredResult{Ref: "r", Size: 4}, want: "(Content of the type audio/wav, 4 bytes, is in r.)"},
		{name: "cut", stored: pegboard.StoredResult{Ref: "r", Path: "/r.wav", Size: 3}, want: "(Content of the type audio/wav, 4 bytes, is in /r.wav, cut after 3 bytes.)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := content.Decoder{Server: "srv", Store: func(context.Context, string, io.Reader) (pegboard.StoredResult, error) { return tt.stored, nil }}
			r := d.CallResult(t.Context(), json.RawMessage(`{"content":[{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}]}`))
			require.Equal(t, tt.want, r.Text())
		})
	}
}

// TestManyBlocks sends more blocks than a conversation can take.
func TestManyBlocks(t *testing.T) {
	t.Parallel()
	answer := func(n int, block func(i int) string) json.RawMessage {
		blocks := make([]string, n)
		for i := range blocks {
			blocks[i] = block(i)
		}
		return json.RawMessage(`{"content":[` + strings.Join(blocks, ",") + `]}`)
	}
	number := func(i int) string { return `{"type":"text","text":"` + strconv.Itoa(i) + `"}` }
	h := &host{}
	r := h.decoder().CallResult(t.Context(), answer(1002, number))
	require.Len(t, r.Parts, 1)
	lines := strings.Split(r.Parts[0].Text, "\n")
	require.Len(t, lines, 1001)
	require.Equal(t, "999", lines[999])
	require.Equal(t, "(The rest of the answer, 2 blocks of content, 61 bytes, is in /store/1.)", lines[1000])
	require.Equal(t, []stored{{"application/json", "[" + number(1000) + "," + number(1001) + "]"}}, h.stored)

	r = (&host{}).decoder().CallResult(t.Context(), json.RawMessage(`{"content":[`+strings.Repeat("0,", 200_000)+`0]}`))
	require.Contains(t, r.Text(), "(The rest of the answer, 199001 blocks of content, 398003 bytes, is in /store/1.)")

	mixed := func(i int) string {
		switch i {
		case 50:
			return `{"type":"image","mimeType":"image/png","data":"` + tinyPNG + `"}`
		case 60:
			return `{"type":"resource","resource":{"uri":"x:1","text":"doc"}}`
		}
		return number(i)
	}
	r = h.decoder().CallResult(t.Context(), answer(101, mixed))
	require.Len(t, r.Parts, 3)
	require.Equal(t, image(t, ""), r.Parts[1])
	require.Contains(t, r.Parts[2].Text, "59\nTitle: x:1\ndoc\n61")
	require.Len(t, h.decoder().CallResult(t.Context(), answer(100, mixed)).Parts, 100)
}

// TestForCall takes an answer through a call: bytes are in a file of the session's store, and
// what is for the user is progress.
func TestForCall(t *testing.T) {
	t.Parallel()
	allowed, err := policy.New(policy.ModeBypass)
	require.NoError(t, err)
	session, err := pegboard.NewSession(pegboard.SessionConfig{Permissions: allowed})
	require.NoError(t, err)
	defer func() { require.NoError(t, session.Close(context.Background())) }()
	var told []pegboard.Event
	tool, err := pegboard.BuildRaw(json.RawMessage(`{"type":"object"}`), pegboard.Definition[json.RawMessage, *pegboard.Result]{
		Info: pegboard.Info{Name: "t"}, Description: "d",
		Call: func(ctx context.Context, _ json.RawMessage, c *pegboard.Call) (*pegboard.Result, error) {
			return content.ForCall(c, "srv").CallResult(ctx, json.RawMessage(
				`{"content":[{"type":"text","text":"u","annotations":{"audience":["user"]}},{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}],"structuredContent":{"n":9007199254740993}}`)), nil
		},
	})
	require.NoError(t, err)
	var registry pegboard.Registry
	_, err = registry.Attach("srv", tool)
	require.NoError(t, err)
	exec := pegboard.Executor{OnEvent: func(e pegboard.Event) {
		if e.Kind == pegboard.EventProgress {
			told = append(told, e)
		}
	}}
	out := exec.Run(t.Context(), registry.AssemblePool(session, pegboard.PoolConfig{}), pegboard.Call{ID: "1", Name: "mcp__srv__t", Input: json.RawMessage(`{}`)})[0]
	require.NoError(t, out.Err)
	require.Len(t, told, 1)
	require.Equal(t, "u", told[0].Text)
	require.Equal(t, []pegboard.Part{text("u")}, told[0].Data)
	require.Regexp(t, `^\(Content of the type audio/wav, 4 bytes, is in .*\.wav\.\)$`, out.Result.Text())
	require.Equal(t, json.RawMessage(`{"n":9007199254740993}`), out.Result.Data)
}

// FuzzCallResult checks that an answer of any form gives a result that a conversation can
// take, and that its data are those that were sent.
func FuzzCallResult(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"a","annotations":{"audience":["user"]}},{"type":"image","data":"` + tinyPNG + `"},{"type":"audio","data":"!!"}],"isError":true}`,
		`{"content":[{"type":"resource","resource":{"uri":"x","blob":"AA=="}},{"type":"resource_link","uri":"y"},{"type":"z"}],"structuredContent":{"a":[1e5]}}`,
		`{"resultType":"task"}`, `{"content":{"content":null}}`, `{"content":"\ud800"}`, "{\"content\":[\"\xff\"]}", `{"structuredContent":1,"structuredContent":2}`, "[]", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		h := &host{}
		given := bytes.Clone(raw)
		r := h.decoder().CallResult(t.Context(), raw)
		require.Equal(t, given, raw)
		for _, p := range append(r.Parts, h.parts...) {
			require.Equal(t, strings.ToValidUTF8(p.Text+p.Title, ""), p.Text+p.Title)
			require.Equal(t, len(p.Data) > 0, strings.HasPrefix(p.MIME, "image/") && p.Text == "")
		}
		require.LessOrEqual(t, len(h.told), 1)
		var sent map[string]json.RawMessage
		if data, ok := r.Data.(json.RawMessage); ok {
			require.NoError(t, json.Unmarshal(bytes.ToValidUTF8(raw, []byte("\ufffd")), &sent))
			require.Equal(t, string(sent["structuredContent"]), string(data))
		}
	})
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer string
		parts  []pegboard.Part
		told   []string
		err    string
	}{
		{name: "one message", answer: `{"messages":[{"role":"user","content":{"type":"text","text":"a"}}]}`, parts: []pegboard.Part{text("a")}},
		{name: "messages of the user", answer: `{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"user","content":{"type":"resource","resource":{"uri":"x:1","text":"b"}}}]}`,
			parts: []pegboard.Part{text("a"), {Text: "b", MIME: "text/plain", Title: "x:1"}}},
		{name: "messages of both", answer: `{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}},{"role":"x","content":"c"}]}`,
			parts: []pegboard.Part{text("user:"), text("a"), text("assistant:"), text("b"), text("unknown:"), text("c")}},
		{name: "content as a list", answer: `{"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"` + tinyPNG + `"}]}]}`,
			parts: []pegboard.Part{text("a"), image(t, "")}},
		{name: "an image that no provider takes", answer: `{"messages":[{"role":"user","content":{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAA//8AAP//CAYAAAAfFcSJ"}}]}`,
			parts: []pegboard.Part{text("(The image cannot be shown: it is 65535 by 65535 pixels, and at most 2000 are allowed on each side. Make it smaller, or cut a part out of it.)")}},
		{name: "for the user", answer: `{"messages":[{"role":"user","content":[{"type":"text","text":"u","annotations":{"audience":["user"]}},{"type":"text","text":"a"}]}]}`,
			parts: []pegboard.Part{text("a")}, told: []string{"u"}},
		{name: "no messages", answer: `{"messages":[]}`, err: `MCP server "srv" answered with a prompt without messages`},
		{name: "none at all", answer: `{}`, err: `MCP server "srv" answered with a prompt without messages`},
		{name: "no object", answer: `"a"`, err: `MCP server "srv" sent an answer that is not a JSON object`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := &host{}
			parts, err := h.decoder().Prompt(t.Context(), json.RawMessage(tt.answer))
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.parts, parts)
			require.Equal(t, tt.told, h.told)
		})
	}
}

func TestResource(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer string
		parts  []pegboard.Part
		data   string
		stored []stored
		err    string
	}{
		{name: "text", answer: `{"contents":[{"uri":"x:1","mimeType":"text/html;profile=mcp-app","text":"<a>"}]}`,
			parts: []pegboard.Part{{Text: "<a>", MIME: "text/html", Title: "x:1"}}, data: `{"contents":[{"uri":"x:1","mimeType":"text/html;profile=mcp-app","text":"<a>"}]}`},
		{name: "bytes", answer: `{"contents":[{"uri":"x:1","mimeType":"audio/wav","blob":"UklGRg=="}]}`,
			parts: []pegboard.Part{text(`(The resource "x:1" of the type audio/wav, 4 bytes, is in /store/1.)`)}, stored: []stored{{"audio/wav", "RIFF"}},
			data: `{"contents":[{"uri":"x:1","mimeType":"audio/wav","blobSavedTo":"/store/1"}]}`},
		{name: "image", answer: `{"contents":[{"uri":"x:1","mimeType":"image/png","blob":"` + tinyPNG + `"}]}`,
			parts:  []pegboard.Part{image(t, "x:1"), text(`(The resource "x:1" of the type image/png, 70 bytes, is in /store/1.)`)},
			stored: []stored{{"image/png", string(image(t, "").Data)}}, data: `{"contents":[{"uri":"x:1","mimeType":"image/png","blobSavedTo":"/store/1"}]}`},
		{name: "several, one of them neither", answer: `{"contents":[{"uri":"x:1","text":"a"},{"uri":"x:2"},{"uri":"x:3","text":"c"}]}`,
			parts: []pegboard.Part{{Text: "a", MIME: "text/plain", Title: "x:1"}, text("(A content that has neither a text nor bytes, as JSON:)\n" + `{"uri":"x:2"}`), {Text: "c", MIME: "text/plain", Title: "x:3"}},
			data:  `{"contents":[{"uri":"x:1","text":"a"},{"uri":"x:3","text":"c"}]}`},
		{name: "one without a list", answer: `{"contents":{"uri":"x:1","text":"a"}}`,
			parts: []pegboard.Part{{Text: "a", MIME: "text/plain", Title: "x:1"}}, data: `{"contents":[{"uri":"x:1","text":"a"}]}`},
		{name: "none", answer: `{"contents":[]}`, parts: []pegboard.Part{text("(The resource has no contents.)")}, data: `{"contents":[]}`},
		{name: "no contents", answer: `{}`, err: `MCP server "srv" answered without the contents of the resource`},
		{name: "null", answer: `{"contents":null}`, err: `MCP server "srv" answered without the contents of the resource`},
		{name: "no object", answer: `1`, err: `MCP server "srv" sent an answer that is not a JSON object`},
		{name: "a question", answer: `{"resultType":"input_required"}`, err: `MCP server "srv" asked for further input instead of answering, and this client could not give it. Tell the user.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := &host{}
			r, err := h.decoder().Resource(t.Context(), json.RawMessage(tt.answer))
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				require.Nil(t, r)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.parts, r.Parts)
			require.Equal(t, tt.stored, h.stored)
			data, err := json.Marshal(r.Data)
			require.NoError(t, err)
			require.JSONEq(t, tt.data, string(data))
			require.IsType(t, content.Resources{}, r.Data)
		})
	}
}

// FuzzResource checks that an answer gives either an error or something to show.
func FuzzResource(f *testing.F) {
	for _, seed := range []string{`{"contents":[{"uri":"x:1","text":"a"},{"blob":"AA=="},1]}`, `{"contents":{}}`, `{"contents":[]}`, `{"contents":"a"}`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := (&host{}).decoder().Resource(t.Context(), raw)
		if err != nil {
			require.Nil(t, r)
			return
		}
		require.NotEmpty(t, r.Parts)
		_, err = json.Marshal(r.Data)
		require.NoError(t, err)
	})
}
