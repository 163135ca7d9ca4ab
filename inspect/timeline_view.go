package inspect

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard/policy"
)

// maxRows is how many calls a page of the timeline has.
const maxRows = 200

// timelineView is the calls, the newest batch first.
type timelineView struct {
	Batches  []batchView
	Agents   []agentChoice
	Agent    string // the chosen number, or empty
	Page     int
	Older    string // the query of the next page, or empty
	Newer    string
	Total    int
	Fragment bool
}

// A batchView is calls of one message.
type batchView struct {
	Number int64
	Trace  string
	Agent  string
	Begin  string
	Span   string
	Rows   []rowView
}

// A rowView is one call in the timeline.
type rowView struct {
	Number, After int64 // After is the row before it in its batch, or 0
	Level         int
	Text          string
	Tool, ID      string
	State         string
	Class         string
	Parts         []barPart
	Phases        string
	Notes         []noteView
}

// A barPart is a part of a bar. Bars are 1000 wide.
type barPart struct {
	X, Width int64
	Class    string
}

// A noteView is a sentence about a call, perhaps with a link to another call.
type noteView struct {
	Text string
	Call int64
}

func (p *Page) timeline(r *http.Request) (any, error) {
	query := r.URL.Query()
	page, _ := strconv.Atoi(query.Get("page"))
	page = max(page, 1)
	agent, err := agentIn(query.Get("agent"))
	if err != nil {
		return nil, err
	}
	v := timelineView{Agents: p.agentChoices(), Agent: query.Get("agent"), Page: page}
	p.ring.nameOpen()
	p.ring.mu.Lock()
	defer p.ring.mu.Unlock()
	rows := p.ring.rows(agent)
	v.Total = len(rows)
	from := min((page-1)*maxRows, len(rows))
	to := min(from+maxRows, len(rows))
	v.Batches = p.ring.batchViews(rows[from:to])
	link := func(page int) string { return "?page=" + strconv.Itoa(page) + "&agent=" + v.Agent }
	if to < len(rows) {
		v.Older = link(page + 1)
	}
	if page > 1 {
		v.Newer = link(page - 1)
	}
	return v, nil
}

// A placedRow is a call at its place in the timeline.
type placedRow struct {
	call  *callRecord
	after int64
	level int
}

// rows returns the calls of an agent, or of all for a negative number, in the order of the
// timeline. The caller holds the lock.
func (r *ring) rows(agent int) []placedRow {
	batches := make([]*batchRecord, 0, len(r.batches))
	for _, b := range r.batches {
		if agent < 0 || b.agent.number == agent {
			batches = append(batches, b)
		}
	}
	slices.SortFunc(batches, func(a, b *batchRecord) int { return cmp.Compare(b.number, a.number) })
	var rows []placedRow
	for _, b := range batches {
		rows = b.appendRows(rows)
	}
	return rows
}

// appendRows appends the calls of a batch, those that a call has made below it.
func (b *batchRecord) appendRows(rows []placedRow) []placedRow {
	before := int64(0)
	var add func(calls []*callRecord, level int)
	add = func(calls []*callRecord, level int) {
		for _, c := range calls {
			rows = append(rows, placedRow{c, before, level})
			before = c.number
			add(c.children, level+1)
		}
	}
	add(b.roots, 0)
	return rows
}

// batchViews returns views of rows, those of one batch together. The caller holds the lock.
func (r *ring) batchViews(rows []placedRow) []batchView {
	var views []batchView
	now := time.Now()
	for _, row := range rows { // of which some may wait or run for long without an event
		if row.call.ended.IsZero() && r.grow(row.call.batch, now) {
			r.wakeAll()
		}
	}
	var current *batchRecord
	for _, row := range rows {
		b := row.call.batch
		if b != current {
			current = b
			views = append(views, batchView{
				Number: b.number, Trace: line(b.trace), Agent: r.agentName(b.agent.session), Begin: clock(b.begin), Span: took(b.span),
			})
		}
		v := &views[len(views)-1]
		v.Rows = append(v.Rows, row.call.view(row, now))
	}
	return views
}

// view returns the row of a call.
func (c *callRecord) view(at placedRow, now time.Time) rowView {
	v := rowView{Number: c.number, After: at.after, Level: min(at.level, 6), Text: c.content.before, Tool: line(c.tool), ID: line(c.id), State: c.state, Class: c.class()}
	v.Parts, v.Phases = c.bar(now)
	v.Notes = c.notes()
	return v
}

// class returns how a call is coloured.
func (c *callRecord) class() string {
	switch {
	case c.ended.IsZero() && c.phaseNow() == phaseAsked:
		return "asked"
	case c.ended.IsZero():
		return "open"
	case c.failed:
		return "failed"
	}
	return "done"
}

// bar returns the parts of the bar, and the same in words.
func (c *callRecord) bar(now time.Time) (parts []barPart, words string) {
	end := now
	if !c.ended.IsZero() {
		end = c.ended
	}
	span := max(c.batch.span, time.Millisecond)
	offset, length := c.admitted.Sub(c.batch.begin), max(end.Sub(c.admitted), 0)
	spent := map[phase]time.Duration{}
	var order []phase
	for i, change := range c.phases {
		until := length
		if i+1 < len(c.phases) {
			until = c.phases[i+1].after
		}
		lasted := max(until-change.after, 0)
		if _, known := spent[change.phase]; !known {
			order = append(order, change.phase)
		}
		spent[change.phase] += lasted
		x := min(int64(1000*(offset+change.after)/span), 997)
		parts = append(parts, barPart{X: x, Width: min(max(int64(1000*lasted/span), 3), 1000-x), Class: [...]string{"decided", "waiting", "asked", "running", "awaited"}[change.phase]})
	}
	var texts []string
	for _, p := range order {
		texts = append(texts, p.String()+" "+took(spent[p]))
	}
	return parts, strings.Join(texts, ", ")
}

// notes returns what there is to say of a call.
func (c *callRecord) notes() (notes []noteView) {
	add := func(call int64, format string, args ...any) {
		notes = append(notes, noteView{fmt.Sprintf(format, args...), call})
	}
	if c.as != "" {
		add(0, "called as %s", c.as)
	}
	switch {
	case c.waitsFor != nil:
		add(c.waitsFor.number, "%s", strings.TrimSuffix("waited for another call: "+c.content.why, ": "))
	case c.waitedGroup:
		add(0, "%s", strings.TrimSuffix("waited for a place in its group: "+c.content.why, ": "))
	}
	for _, d := range c.answers {
		add(0, "%s", d.String())
	}
	for _, n := range []struct {
		there      bool
		text, more string
	}{
		{c.repairs > 0, "the input was repaired", c.content.repair},
		{c.attempts > 1, strconv.Itoa(c.attempts) + " attempts", ""},
		{c.progress > 0, strconv.Itoa(c.progress) + " reports of progress", c.content.progress},
		{c.detached, "went on in the background", c.content.detached},
		{c.sameAs != "", "the same as " + c.sameAs + ", and not run again", ""},
		{c.content.after != "", c.content.after, ""},
	} {
		if n.there {
			add(0, "%s", strings.TrimSuffix(n.text+": "+n.more, ": "))
		}
	}
	return notes
}

// String returns a decision for a person.
func (d decisionRecord) String() string {
	text := d.behavior.String() + " by " + d.by.String()
	if d.rule != "" {
		text += " " + d.rule
		if d.source != "" {
			text += " of " + d.source
		}
	}
	if d.reason != "" && d.by != policy.ByRule && d.behavior != policy.Deny { // the outcome says why it was denied
		text += ": " + d.reason
	}
	return text
}

// clock returns a time of day.
func clock(t time.Time) string { return t.Format("15:04:05.000") }

// took returns a duration for a person.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatFloat(float64(d.Microseconds())/1000, 'f', -1, 64) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(float64(d.Milliseconds())/1000, 'f', -1, 64) + " s"
	}
	return d.Round(time.Second).String()
}

// serveRows answers with the rows that a stream of events has named, or the open questions.
func (p *Page) serveRows(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	if query.Has("questions") {
		v, err := p.questions(r)
		if err != nil {
			return err
		}
		return p.write(w, http.StatusOK, "questions", v)
	}
	agent, err := agentIn(query.Get("agent"))
	if err != nil {
		return err
	}
	var wanted []int64
	for _, text := range strings.SplitN(query.Get("calls"), ",", maxUpdate+1) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && len(wanted) < maxUpdate {
			wanted = append(wanted, n)
		}
	}
	p.ring.nameOpen()
	for now := len(wanted); ; now /= 2 {
		page, err := p.render("batches", p.ring.update(wanted[:now], agent))
		if err != nil {
			return err
		}
		if len(page) <= maxUpdateBytes || now <= 1 {
			w.Header().Set(leftHeader, joinNumbers(wanted[now:]))
			send(w, http.StatusOK, page)
			return nil
		}
	}
}

// leftHeader has the numbers of the calls that did not fit into the answer, and are to be
// fetched next.
const leftHeader = "X-Left"

// joinNumbers returns numbers with commas between them.
func joinNumbers(numbers []int64) string {
	texts := make([]string, 0, len(numbers))
	for _, n := range numbers {
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	return strings.Join(texts, ",")
}

// update returns views of the wanted calls that are remembered, of an agent or all.
func (r *ring) update(wanted []int64, agent int) []batchView {
	r.mu.Lock()
	defer r.mu.Unlock()
	batches := map[*batchRecord]bool{}
	for _, n := range wanted {
		if c := r.call(n); c != nil && (agent < 0 || c.agent.number == agent) {
			batches[c.batch] = true
		}
	}
	var rows []placedRow
	for b := range batches {
		for _, row := range b.appendRows(nil) {
			if slices.Contains(wanted, row.call.number) {
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b placedRow) int { return cmp.Compare(a.call.batch.number, b.call.batch.number) })
	return r.batchViews(rows)
}
