package skills

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed49eaa51d/pegboard/internal/lock"
)

// maxTouched is how many files are remembered as touched by a session's calls. Our choice.
const maxTouched = 10_000

// state is the state of the skills of one session.
type state struct {
	mu      lock.Mutex
	catalog *catalog // nil before it was read
	touched map[string]bool
	uses    map[string]int  // in this conversation, by name
	bodies  map[string]body // that the model was shown, by name
	clock   int             // counts the bodies that were shown
}

// A body is the text of a skill as the model was shown it.
type body struct {
	text string
	at   int  // the time of the last use
	lost bool // the conversation does not have all of it any more
}

func newState() *state {
	return &state{touched: map[string]bool{}, uses: map[string]int{}, bodies: map[string]body{}}
}

func (st *state) loaded() *catalog {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.catalog
}

func (st *state) setCatalog(c *catalog) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.catalog = c
}

// touch remembers files.
func (st *state) touch(files []string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, file := range files {
		if len(st.touched) < maxTouched {
			st.touched[file] = true
		}
	}
}

// touchedFiles returns the files that were touched, sorted.
func (st *state) touchedFiles() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Sorted(maps.Keys(st.touched))
}

// shows reports whether the model still has this text of a skill.
func (st *state) shows(name, text string) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	b, ok := st.bodies[name]
	return ok && !b.lost && b.text == text
}

// show notes that the model is sent the text of a skill.
func (st *state) show(name, text string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.clock++
	st.uses[name]++
	st.bodies[name] = body{text: text, at: st.clock}
}

// forget says that the conversation has none of the texts.
func (st *state) forget() {
	st.mu.Lock()
	defer st.mu.Unlock()
	clear(st.bodies)
}

// used counts a use of a skill whose text is not kept.
func (st *state) used(name string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.uses[name]++
}

// usesOf returns how often a skill was used in the conversation.
func (st *state) usesOf(name string) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.uses[name]
}

// A namedBody is the text of a skill with its name.
type namedBody struct {
	name string
	body
}

// carry returns the texts that the conversation has, the last used first. Those of which keep
// returns false count as lost from now on.
func (st *state) carry(keep func(b namedBody) bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	var all []namedBody
	for name, b := range st.bodies {
		all = append(all, namedBody{name, b})
	}
	slices.SortFunc(all, func(a, b namedBody) int { return cmp.Compare(b.at, a.at) })
	for _, b := range all {
		b.lost = !keep(b)
		st.bodies[b.name] = b.body
	}
}
