package excerpt_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
)

// A pair is a document and what was made of it, both without space.
type pair struct{ whole, cut *jsonedit.Document }

func newPair(whole, cut []byte) (p pair, err error) {
	if p.whole, err = compacted(whole); err != nil {
		return p, err
	}
	p.cut, err = compacted(cut)
	return p, err
}

func compacted(text []byte) (*jsonedit.Document, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, bytes.ToValidUTF8(text, []byte("\uFFFD"))); err != nil {
		return nil, err
	}
	return jsonedit.Parse(b.Bytes())
}

// differ says where cut is no cut of the value at whole. What is kept has to be the
// same bytes, and each note has to count what is not.
func (p pair) differ(whole, cut jsonedit.Span) error {
	w, c := p.whole.Raw(whole), p.cut.Raw(cut)
	switch {
	case w == c:
		return nil
	case c == fmt.Sprintf(`{"…":"%d bytes left out"}`, len(w)), c == fmt.Sprintf(`[{"…":"%d bytes left out"}]`, len(w)):
		return nil
	case w[0] != c[0]:
		return fmt.Errorf("%.80s became %.80s", w, c)
	case w[0] == '"':
		return differText(w, c)
	case w[0] == '[':
		return p.differElements(p.whole.Elements(whole), p.cut.Elements(cut))
	case w[0] == '{':
		return p.differMembers(p.whole.Members(whole), p.cut.Members(cut))
	}
	return fmt.Errorf("%.80s became %.80s", w, c)
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

func differText(whole, cut string) error {
	at := strings.LastIndex(cut, "…[")
	if at < 0 || !strings.HasPrefix(whole, cut[:at]) {
		return fmt.Errorf("%.80s is no beginning of %.80s", cut, whole)
	}
	var all, kept string
	if err := json.Unmarshal([]byte(whole), &all); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(cut[:at]+`"`), &kept); err != nil {
		return fmt.Errorf("an escape was cut: %w", err)
	}
	want := fmt.Sprintf("…[%s]\"", counted(utf8.RuneCountInString(all)-utf8.RuneCountInString(kept), "more character"))
	if cut[at:] != want || !strings.HasPrefix(all, kept) {
		return fmt.Errorf("%.80s ends in %s, not in %s", cut, cut[at:], want)
	}
	return nil
}

func (p pair) differElements(whole, cut []jsonedit.Span) error {
	if len(cut) == 0 {
		return fmt.Errorf("%d elements are gone without a note", len(whole))
	}
	last := len(cut) - 1
	if p.cut.Raw(cut[last]) == fmt.Sprintf(`{"…":"%s"}`, counted(len(whole)-last, "more item")) {
		cut = cut[:last]
	} else if len(cut) != len(whole) {
		return fmt.Errorf("%d elements became %d: %s", len(whole), len(cut), p.cut.Raw(cut[last]))
	}
	for i, c := range cut {
		if err := p.differ(whole[i], c); err != nil {
			return fmt.Errorf("[%d] %w", i, err)
		}
	}
	return nil
}

func (p pair) differMembers(whole, cut []jsonedit.Member) error {
	if len(cut) == 0 {
		return fmt.Errorf("%d members are gone without a note", len(whole))
	}
	last := len(cut) - 1
	note := `"` + counted(len(whole)-last, "more member") + `"`
	if strings.Trim(cut[last].Key, "…") == "" && p.cut.Raw(cut[last].Value) == note {
		if jsonedit.IndexOf(whole, cut[last].Key) >= 0 && cut[last].Key != "………" {
			return fmt.Errorf("the note takes a key that is in use")
		}
		cut = cut[:last]
	} else if len(cut) != len(whole) {
		return fmt.Errorf("%d members became %d: %s", len(whole), len(cut), cut[last].Key)
	}
	for i, c := range cut {
		key := func(d *jsonedit.Document, m jsonedit.Member) string {
			return d.Raw(jsonedit.Span{Start: m.Start, End: m.Value.Start})
		}
		if key(p.whole, whole[i]) != key(p.cut, c) {
			return fmt.Errorf("member %d was %q and is %q", i, whole[i].Key, c.Key)
		}
		if err := p.differ(whole[i].Value, c.Value); err != nil {
			return fmt.Errorf("%s: %w", c.Key, err)
		}
	}
	return nil
}
