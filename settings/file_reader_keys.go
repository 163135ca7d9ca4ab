package settings

import (
	"encoding/json"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/jsonedit"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

// checkKeys refuses keys of this package that are there twice, and takes them out, since
// readers differ on their meaning.
func (r *fileReader) checkKeys() {
	for _, key := range ownKeys() {
		if _, twice := jsonedit.Repeated(r.top, key); twice {
			r.breaks(r.member(key), key, "the key is there twice; write it once")
			r.top = slices.DeleteFunc(slices.Clone(r.top), func(m jsonedit.Member) bool { return m.Key == key })
		}
	}
}

// maxNear is for how many unknown keys the files are asked what they may mean. More are no slips.
const maxNear = 1000

// meant returns the key of this package that a key may stand for, or "".
func (l *loader) meant(key string) string {
	near, known := l.near[key]
	if !known && len(l.near) < maxNear {
		near = meant(key, ownKeys())
		l.near[key] = near
	}
	return near
}

// readKeys reads the keys that are the host's.
func (r *fileReader) readKeys() {
	own, last := ownKeys(), make(map[string]int, len(r.top))
	for i, m := range r.top {
		last[m.Key] = i
	}
	for i, m := range r.top {
		if slices.Contains(own, m.Key) {
			continue
		}
		at := r.at(m.Start)
		if last[m.Key] != i { // as in most readers, the last one counts
			r.warn(at, "%s is there twice, and the last one counts; write it once", strictjson.Cut(m.Key))
			continue
		}
		switch near := r.meant(m.Key); {
		case m.Key == serversKey:
			r.warn(at, "mcpServers is not read from settings files; write it into .mcp.json")
		case slices.Contains(permissionKeys(), m.Key):
			r.warn(at, "%s has no effect here; write it inside permissions", m.Key)
		case slices.Contains(unenforcedKeys(), m.Key):
			r.warn(at, "%s has no effect here; write deny rules", m.Key)
		case m.Key == sandboxKey && r.doc.Opens(m.Value, '{') && r.doc.Raw(jsonedit.Find(r.doc.Members(m.Value), "enabled")) == "true":
			r.warn(at, "sandbox.enabled has no effect by itself: commands run in a sandbox only if the program gives its shell one, and rules on files do not bind what they run")
		case near != "":
			r.warn(at, "%s is not known; did you mean %s?", strictjson.AppendKey("", strictjson.Cut(m.Key)), near)
		}
		r.Keys = append(r.Keys, Key{
			Name: m.Key, Value: json.RawMessage(slices.Clone(r.doc.Bytes(m.Value))),
			Source: r.source, Position: at, Trusted: r.trusted,
		})
	}
}
