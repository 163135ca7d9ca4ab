package textcall

import (
	"slices"
	"strings"
)

// A finder finds the calls of one text, which has no space around it.
type finder struct {
	text  string
	tools Tools
}

// known reports whether all calls are of tools of the request.
func (f *finder) known(calls []Call) bool {
	for _, c := range calls {
		if _, ok := f.tools(c.Name); !ok {
			return false
		}
	}
	return len(calls) > 0
}

// whole returns the calls of a text that is nothing but JSON.
func (f *finder) whole() (calls []Call, ok bool) {
	if !strings.HasPrefix(f.text, "{") && !strings.HasPrefix(f.text, "[") {
		return nil, false
	}
	calls, ok = jsonCalls(f.text, true)
	return calls, ok && f.known(calls)
}

const fence = "```"

// fenced returns the calls in the fenced blocks at the end of the text. If calls stand
// before them, too, it is not clear which are meant.
func (f *finder) fenced() (calls []Call, ok bool) {
	if !strings.HasSuffix(f.text, "\n"+fence) {
		return nil, false
	}
	last := len(f.text) // where the blocks with calls at the end begin
	blocks := fencedBlocks(f.text)
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		found, isCalls := b.calls()
		switch isCalls = isCalls && f.known(found); {
		case isCalls && strings.TrimSpace(f.text[b.end:last]) == "":
			calls, last = append(found, calls...), b.begin
		case isCalls:
			return nil, false
		}
	}
	if len(calls) == 0 {
		return nil, false
	}
	before, _ := f.firstTagged()
	return calls, len(before) == 0
}

// A block is a fenced block of Markdown.
type block struct {
	begin, end int    // with the fences
	info       string // after the first fence
	inside     string
}

func (b *block) calls() ([]Call, bool) {
	switch b.info {
	case "", "json", "tool_call", "tool_calls", "tool_use":
		return jsonCalls(b.inside, true)
	}
	return nil, false
}

// fencedBlocks returns the blocks of a text that are closed.
func fencedBlocks(text string) (blocks []block) {
	var open *block
	inside := 0
	for at := 0; at < len(text); {
		end := at + strings.IndexByte(text[at:]+"\n", '\n')
		if line := strings.TrimSpace(text[at:end]); strings.HasPrefix(line, fence) {
			if open == nil {
				open, inside = &block{begin: at, info: strings.TrimSpace(strings.Trim(line, "`"))}, min(end+1, len(text))
			} else if strings.Trim(line, "`") == "" {
				open.inside, open.end = text[inside:at], end
				blocks, open = append(blocks, *open), nil
			}
		}
		at = end + 1
	}
	return blocks
}

// inFence reports whether a place of the text is in a fenced block, closed or not.
func (f *finder) inFence(at int) bool {
	inside := false
	for line := range strings.Lines(f.text[:at]) {
		if strings.HasPrefix(strings.TrimSpace(line), fence) {
			inside = !inside
		}
	}
	return inside
}

// tagged returns the calls in a form with tags, if they end the text: words that follow make
// them a quotation.
func (f *finder) tagged() (calls []Call, ok bool) {
	calls, end := f.firstTagged()
	if len(calls) == 0 || end < len(f.text) {
		return nil, false
	}
	for _, b := range fencedBlocks(f.text) {
		if before, ok := b.calls(); ok && f.known(before) {
			return nil, false
		}
	}
	return calls, true
}

// firstTagged returns the first calls in a form with tags, and where they end.
func (f *finder) firstTagged() (calls []Call, end int) {
	for at, tries := 0, 0; tries < maxTries; tries++ {
		next := f.nextOpening(at)
		if next < 0 {
			return nil, 0
		}
		r := reader{text: f.text, at: next, tools: f.tools}
		if calls := r.run(); len(calls) > 0 && f.known(calls) && !f.inFence(next) {
			r.space()
			return calls, r.at
		}
		at = next + 1
	}
	return nil, 0
}

// nextOpening returns the next place from at on where a tag begins a line, or -1.
func (f *finder) nextOpening(at int) int {
	for begin := at; begin < len(f.text); {
		line, _, _ := strings.Cut(f.text[begin:], "\n")
		tag := strings.TrimLeft(line, " \t\r")
		if (begin == 0 || f.text[begin-1] == '\n') && slices.ContainsFunc(openings(), func(open string) bool { return strings.HasPrefix(tag, open) }) {
			return begin + len(line) - len(tag)
		}
		begin += len(line) + 1
	}
	return -1
}
