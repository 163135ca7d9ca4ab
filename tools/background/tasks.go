package background

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/atomicfile"
	"github.com/seed49eaa51d/pegboard/internal/durable"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/internal/realpath"
)

// Tasks is the task table of one conversation: the main session and all its forks.
// Its methods may be called concurrently.
type Tasks struct {
	watchers watchers

	mu           sync.Mutex // guards the fields below and the fields of entries that say so
	opts         Options
	optionsFixed bool     // Configure can no longer change opts
	entries      []*entry // oldest first
	running      int
	ids          map[string]bool // every id that was given out or is on file; false if the table never had the task
	pending      []notice        // notices that no session has fetched, oldest first
	files        files
	allowReads   func(dir string)  // adds a directory that the conversation may read; nil before a session has joined
	session      *pegboard.Session // the main session, or the first that has joined; nil before
	errs         []error           // of writing records and removing files, for close
	mainJoined   bool
	main         *member // of the main session; nil before it has joined
	liveForks    int     // forks that have joined and were not closed
	closed       bool    // the conversation has ended
}

func newTasks() *Tasks { return &Tasks{ids: map[string]bool{}} }

// tables holds the table of each conversation.
var tables = pegboard.NewKey[*Tasks]("background tasks")

func tableOf(s *pegboard.Session) *Tasks { return tables.GetOrInitRoot(s, newTasks) }

// Of returns the task table of the conversation of s. All sessions of a conversation
// get the same table.
func Of(s *pegboard.Session) *Tasks {
	t := tableOf(s)
	t.join(s)
	return t
}

// Add adds running work to the table on behalf of s. It fails with ErrTooMany, with
// pegboard.ErrClosed if s was closed, and if w has no Stop; the caller then still
// owns the work. Otherwise [Handle.Done] must be called when the work ends.
func (t *Tasks) Add(s *pegboard.Session, w Work) (*Handle, error) {
	if w.Stop == nil {
		return nil, errors.New("work without Stop cannot go on in the background")
	}
	if tableOf(s) != t {
		return nil, errors.New("the session belongs to another conversation than the tasks")
	}
	m := t.join(s)
	e := &entry{work: w, names: slices.Clone(w.Names), done: make(chan struct{}), task: Task{
		Kind: cmp.Or(w.Kind, "task"), State: Running, Description: w.Description, Command: w.Command, AgentID: m.agentID,
		AgentType: m.agentType, Started: w.Started, OutputFile: w.OutputFile,
	}}
	if e.task.Started.IsZero() {
		e.task.Started = time.Now()
	}
	if !m.isMain {
		e.owner = m
	}
	id, err := t.insert(e, m)
	if err != nil {
		return nil, err
	}
	t.saveRecord(e)
	t.watchers.deliver()
	return &Handle{id: id, tasks: t, entry: e}, nil
}

func (t *Tasks) insert(e *entry, m *member) (id string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isOver() || m.ended {
		return "", fmt.Errorf("%w: nothing more can be started in the background", pegboard.ErrClosed)
	}
	if limit := t.opts.maxTasks(); t.running >= limit {
		return "", fmt.Errorf("%w: %d, which is the most; stop one with TaskStop, or wait until one has ended. Running: %s",
			ErrTooMany, t.running, strings.Join(t.runningIDs(), ", "))
	}
	t.optionsFixed = true
	id = t.newID(e.task.Kind)
	e.task.ID = id
	if t.opts.Dir != "" {
		e.record = &record{path: t.recordPath(id)}
	}
	t.entries = append(t.entries, e)
	t.running++
	t.prune()
	t.queueUpdate()
	return id, nil
}

// prune removes the tasks that ended first from the table, to bound its size. The
// caller holds the lock.
func (t *Tasks) prune() {
	over := len(t.entries) - t.running - max(keptEnded, t.opts.maxTasks()-t.running)
	if over <= 0 {
		return
	}
	var ended []*entry
	for _, e := range t.entries {
		if e.task.State != Running {
			ended = append(ended, e)
		}
	}
	slices.SortStableFunc(ended, func(a, b *entry) int { return a.task.Ended.Compare(b.task.Ended) })
	for _, e := range ended[:over] {
		e.pruned = true
	}
	t.entries = slices.DeleteFunc(t.entries, func(e *entry) bool { return e.pruned })
}

// finish implements Handle.Done.
func (t *Tasks) finish(e *entry, state State, exit *int, err error) {
	t.mu.Lock()
	if e.task.State != Running {
		t.mu.Unlock()
		return
	}
	e.setEnd(state, exit, err)
	t.running--
	if !e.silent {
		t.pending = append(t.pending, notice{entry: e, end: true})
		t.announce(t.readerOf(e))
	}
	close(e.done)
	t.prune()
	t.queueUpdate()
	silent := e.silent
	t.mu.Unlock()
	if silent {
		t.removeRecord(e)
	} else {
		t.saveRecord(e)
	}
	t.watchers.deliver()
	t.removeTempDir()
	if !silent {
		t.notifyPerson(t.snapshot(e))
	}
}

// List returns the running tasks and the latest ones that ended, in the order in
// which they were added.
func (t *Tasks) List() []Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.list()
}

func (t *Tasks) list() []Task {
	all := make([]Task, len(t.entries))
	for i, e := range t.entries {
		all[i] = e.task.copied()
	}
	return all
}

// Get returns one task.
func (t *Tasks) Get(id string) (Task, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.find(id); e != nil {
		return e.task.copied(), true
	}
	return Task{}, false
}

// find returns the task with the id, or the newest with the name. The caller holds the
// lock.
func (t *Tasks) find(id string) (newest *entry) {
	for _, e := range t.entries {
		if e.task.ID == id {
			return e
		}
		if slices.Contains(e.names, id) {
			newest = e
		}
	}
	return newest
}

// lookup is like find, with an error for the model.
func (t *Tasks) lookup(id string) (*entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.find(id); e != nil {
		return e, nil
	}
	var ids, names []string
	for _, e := range t.entries {
		ids, names = append(ids, e.task.ID), append(names, e.names...)
	}
	switch near := nearest.Names(id, slices.Concat(ids, names), maxNearNames); {
	case t.ids[id]:
		return nil, fmt.Errorf("%w %q any more: it ended long ago and was forgotten; if it had an output file, Read that", ErrUnknownTask, id)
	case len(near) > 0:
		return nil, fmt.Errorf("%w %q; did you mean %s?", ErrUnknownTask, id, strings.Join(near, " or "))
	case len(ids) > 0:
		return nil, fmt.Errorf("%w %q; the latest ids are %s", ErrUnknownTask, id, strings.Join(ids[max(0, len(ids)-keptEnded):], ", "))
	}
	return nil, fmt.Errorf("%w %q; nothing was started in the background", ErrUnknownTask, id)
}

// Wait waits until a task has ended and returns it. If ctx ends first, Wait returns
// the task as it is at that time and the cause of ctx.
func (t *Tasks) Wait(ctx context.Context, id string) (Task, error) {
	e, err := t.lookup(id)
	if err != nil {
		return Task{}, err
	}
	select {
	case <-e.done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return t.snapshot(e), err
}

func (t *Tasks) snapshot(e *entry) Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	return e.task.copied()
}

func (t *Tasks) runningIDs() (ids []string) {
	for _, e := range t.entries {
		if e.task.State == Running {
			ids = append(ids, e.task.ID)
		}
	}
	return ids
}

// files are the paths and the record store of a table.
type files struct {
	tempDir string // the temporary directory; empty until Dir makes it
	store   atomicfile.Store
	host    host // this process
}

// Dir returns the directory for the output files of this conversation. Every agent of
// the conversation may read it without being asked. If the host has chosen no
// directory, Dir makes a temporary one that only this user can read; it is removed
// when the main session is closed and all tasks have ended.
func (t *Tasks) Dir() (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.isOver():
		return "", fmt.Errorf("%w: nothing more can be started in the background", pegboard.ErrClosed)
	case t.opts.Dir != "":
		return t.opts.Dir, nil
	case t.files.tempDir == "":
		dir, err := os.MkdirTemp("", "pegboard-tasks-") // 0700
		if err != nil {
			return "", fmt.Errorf("a directory for background tasks: %w", err)
		}
		t.optionsFixed, t.files.tempDir = true, realpath.Resolve(dir)
		if t.allowReads != nil {
			t.allowReads(t.files.tempDir)
		}
	}
	return t.files.tempDir, nil
}

// NewFile returns the path of a file in Dir for the output of work of the given kind.
// The file does not exist, and NewFile does not create it.
func (t *Tasks) NewFile(kind string) (string, error) {
	dir, err := t.Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, slug(kind)+"-"+strings.ToLower(rand.Text()[:13])+".log"), nil
}

// removeTempDir removes the temporary directory if no session and no task can use it
// any more.
func (t *Tasks) removeTempDir() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isOver() || t.running > 0 || t.files.tempDir == "" {
		return
	}
	dir := t.files.tempDir
	if closed := dir + "-closed"; os.Rename(dir, closed) == nil { // a call that is being stopped finds no place for a file any more
		dir = closed
	}
	err := os.RemoveAll(dir)
	for tries := 1; err != nil && tries < maxRemoveTries; tries++ { // where a folder with open files keeps its name
		err = os.RemoveAll(dir)
	}
	if err != nil {
		t.errs = append(t.errs, fmt.Errorf("remove the files of the background tasks: %w", err))
	}
	t.files.tempDir = ""
}

// Output returns the output of a task so far: the result of Work.Output, or the last
// MaxOutput bytes of the output file. It is valid UTF-8 and may be empty.
func (t *Tasks) Output(id string) (string, error) {
	e, err := t.lookup(id)
	if err != nil {
		return "", err
	}
	text, err := e.output()
	if err != nil {
		return "", fmt.Errorf("the output of task %s: %w", id, err)
	}
	return text, nil
}

// newID returns an id that no task of the conversation has or had, including tasks
// that other programs have recorded. The caller holds the lock.
func (t *Tasks) newID(kind string) string {
	for {
		id := slug(kind) + "_" + strings.ToLower(rand.Text()[:6])
		if _, taken := t.ids[id]; taken {
			continue
		}
		t.ids[id] = true
		return id
	}
}

// slug returns the first lower-case letters and digits of a kind, at most 12.
func slug(kind string) string {
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(kind))
	if s == "" {
		return "task"
	}
	return s[:min(len(s), 12)]
}

// mainSessions is true for main sessions and false for forks. A session does not say
// which of the two it is: join sets false for the session and then, with SetRoot,
// true for its main session.
var mainSessions = pegboard.NewClonedKey("main session", func(bool) bool { return false })

// join returns the member of s. The first call for s registers the session: its News
// hand out the notices; if s is the main session, closing it closes the table; otherwise
// closing it calls leave.
func (t *Tasks) join(s *pegboard.Session) *member {
	m := members.GetOrInit(s, func() *member { return &member{} })
	m.joined.Do(func() {
		m.session, m.role, m.agentID, m.agentType = s, s.Role(), s.AgentID(), s.AgentType()
		mainSessions.Set(s, false)
		mainSessions.SetRoot(s, true)
		m.isMain, _ = mainSessions.Get(s)
		t.mu.Lock()
		t.allowReads = s.AllowReads
		if t.session == nil || m.isMain {
			t.session = s
		}
		if dir := t.files.tempDir; dir != "" {
			t.allowReads(dir)
		}
		if m.isMain {
			t.mainJoined, t.main = true, m
		} else {
			t.liveForks++
		}
		t.announce(m)
		t.mu.Unlock()
		s.OnNotifications(newsName, func() []pegboard.Part { return t.handOut(m) })
		if m.isMain {
			s.OnClose("background tasks", t.close)
		} else {
			s.OnClose("background tasks of agent "+m.agentID, func(ctx context.Context) error { return t.leave(ctx, m) })
		}
	})
	return m
}

// leave is called when a fork that has joined is closed.
func (t *Tasks) leave(ctx context.Context, m *member) error {
	t.mu.Lock()
	m.ended = true
	t.liveForks--
	var kill, silent []*entry
	for _, e := range t.entriesOf(m) {
		switch {
		case !m.reparents(&e.work):
			e.silent = true
			silent = append(silent, e)
			if e.task.State == Running {
				kill = append(kill, e)
			}
		case e.task.State == Running && !t.mainJoined:
			kill = append(kill, e) // no session is left that could stop it later
			fallthrough
		default:
			e.owner = nil
		}
	}
	t.pending = slices.DeleteFunc(t.pending, func(n notice) bool { return n.entry.silent })
	t.announce(m)
	t.announce(t.main)
	t.mu.Unlock()
	err := t.stopAll(ctx, kill, ErrOwnerEnded)
	for _, e := range silent {
		if t.snapshot(e).State != Running {
			t.removeRecord(e)
		}
	}
	t.removeTempDir()
	return err
}

// entriesOf returns the entries that belong to the session of m: those in the table,
// and those that were pruned before their end was reported.
func (t *Tasks) entriesOf(m *member) (all []*entry) {
	for _, e := range t.entries {
		if e.owner == m {
			all = append(all, e)
		}
	}
	for _, n := range t.pending {
		if n.entry.pruned && n.entry.owner == m {
			all = append(all, n.entry)
		}
	}
	return all
}

// isOver reports whether no session is left that would stop a new task: the
// conversation has ended, or every session that joined was closed. The caller holds
// the lock.
func (t *Tasks) isOver() bool { return t.closed || !t.mainJoined && t.liveForks == 0 }

// close stops all tasks and ends the conversation.
func (t *Tasks) close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	t.announce(t.main)
	var all []*entry
	for _, e := range t.entries {
		if e.task.State == Running {
			all = append(all, e)
		}
	}
	t.mu.Unlock()
	err := t.stopAll(ctx, all, pegboard.ErrClosed)
	t.savePending()
	t.removeTempDir()
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(append([]error{err}, t.errs...)...)
}

// addMessage implements Handle.Notify.
func (t *Tasks) addMessage(e *entry, text string) {
	t.mu.Lock()
	if e.task.State != Running || e.silent {
		t.mu.Unlock()
		return
	}
	if e.unread == maxMessages {
		oldest := slices.IndexFunc(t.pending, func(n notice) bool { return n.entry == e })
		t.pending = slices.Delete(t.pending, oldest, oldest+1)
		e.unread--
		e.dropped++
	}
	t.pending = append(t.pending, notice{entry: e, text: strings.ToValidUTF8(text, "\uFFFD")})
	e.unread++
	t.announce(t.readerOf(e))
	t.queueUpdate()
	t.mu.Unlock()
	t.watchers.deliver()
}

// Notices removes and returns the notices for s, in the order of the events: one for
// each task that has ended, and the messages of running tasks. The notices of a task
// belong to the session that added it, or to the main session once that session was
// closed. After the conversation has ended there are no notices.
//
// [pegboard.Session.Notifications] calls it for each session that has used the table, so a loop
// that asks for news needs no other call. Each notice is returned once, by whichever of
// the two is called first.
func (t *Tasks) Notices(s *pegboard.Session) []pegboard.Part {
	if known, ok := tables.Get(s); !ok || known != t {
		return nil
	}
	return t.handOut(t.join(s))
}

// handOut implements Notices for the session of m.
func (t *Tasks) handOut(m *member) []pegboard.Part {
	mine := t.takeNotices(m)
	parts := make([]pegboard.Part, len(mine))
	for i, n := range mine {
		parts[i].Text = n.message()
	}
	for _, n := range mine {
		if n.end {
			t.removeRecord(n.entry)
		}
	}
	return parts
}

// takeNotices removes and returns the pending notices for the session of m.
func (t *Tasks) takeNotices(m *member) (mine []noticeSnapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	kept := t.pending[:0:0]
	for _, n := range t.pending {
		if n.entry.reportsTo(m) {
			mine = append(mine, noticeSnapshot{notice: n, task: n.entry.task, dropped: n.entry.dropped, pruned: n.entry.pruned})
			n.entry.unread, n.entry.dropped = 0, 0
		} else {
			kept = append(kept, n)
		}
	}
	t.pending = kept
	t.announce(m)
	return mine
}

// Unreported returns the tasks that have ended and whose ends s has not been told, the oldest end
// first: [pegboard.Session.Notifications] or Notices will tell it. A tool that waits for something
// uses it to report these ends.
func (t *Tasks) Unreported(s *pegboard.Session) (ended []Task) {
	if tableOf(s) != t {
		return nil
	}
	m := t.join(s)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, n := range t.pending {
		if n.end && !t.closed && n.entry.reportsTo(m) {
			ended = append(ended, n.entry.task.copied())
		}
	}
	return ended
}

// readerOf returns the member that is told of an entry; nil if that is the main session, which
// has not joined. The caller holds the lock.
func (t *Tasks) readerOf(e *entry) *member {
	if e.owner != nil {
		return e.owner
	}
	return t.main
}

// announce tells the session of m whether notices wait for it, for those who wait with
// [pegboard.Session.Notified]. M may be nil. The caller holds the lock.
func (t *Tasks) announce(m *member) {
	if m == nil {
		return
	}
	waits := !t.closed && slices.ContainsFunc(t.pending, func(n notice) bool { return n.entry.reportsTo(m) })
	if waits != m.announced {
		m.announced = waits
		m.session.AnnounceNotifications(newsName, waits)
	}
}

// Acknowledge removes the pending notice of a task's end, because s has learnt of the
// end in another way, such as from the result of a tool. It reports whether there was
// such a notice for s. If the task belongs to another agent, that agent still gets
// its notice.
func (t *Tasks) Acknowledge(s *pegboard.Session, id string) bool {
	if tableOf(s) != t {
		return false
	}
	m := t.join(s)
	t.mu.Lock()
	if named := t.find(id); named != nil {
		id = named.task.ID
	}
	kept := t.pending[:0:0]
	var e *entry
	for _, n := range t.pending {
		if n.end && n.entry.task.ID == id && n.entry.reportsTo(m) {
			e = n.entry
		} else {
			kept = append(kept, n)
		}
	}
	t.pending = kept
	t.announce(m)
	t.mu.Unlock()
	if e == nil {
		return false
	}
	t.removeRecord(e)
	return true
}

// notifyPerson tells the person that a task has completed or failed, if the host has set
// [pegboard.KeyNotify]. Whoever stops a task knows it. A panic of the host's func is
// ignored: the goroutine on which the work has ended must not panic.
func (t *Tasks) notifyPerson(k Task) {
	if k.State != Completed && k.State != Failed {
		return
	}
	t.mu.Lock()
	s := t.session
	t.mu.Unlock()
	notify, _ := pegboard.KeyNotify.Get(s)
	if notify == nil {
		return
	}
	n := pegboard.Notification{Type: "task_" + string(k.State), Title: taskLabel(k), Message: k.sentence(), AgentID: k.AgentID}
	_ = goroutine.Try(func() error { notify(context.Background(), n); return nil })
}

func (t *Tasks) recordPath(id string) string { return filepath.Join(t.opts.Dir, id+recordSuffix) }

// saveRecord writes the record of a task in its present state.
func (t *Tasks) saveRecord(e *entry) {
	if e.record == nil {
		return
	}
	if err := e.record.write(&t.files.store, func() recordContent {
		t.mu.Lock()
		defer t.mu.Unlock()
		r := recordContent{Version: recordVersion, Task: e.task.copied(), Names: e.names, Host: t.files.host}
		if t.closed && e.task.State != Running {
			r.Host = host{}
		}
		return r
	}); err != nil {
		t.addErr(fmt.Errorf("the record of task %s: %w", e.task.ID, err))
	}
}

// removeRecord removes the record of a task whose end was reported.
func (t *Tasks) removeRecord(e *entry) {
	if e.record == nil {
		return
	}
	if err := e.record.remove(); err != nil {
		t.addErr(fmt.Errorf("the record of task %s: %w", e.task.ID, err))
	}
}

func (t *Tasks) addErr(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.errs) < maxMessages {
		t.errs = append(t.errs, err)
	}
}

// savePending writes the records of the ended tasks whose end was not reported, so
// that the next program that opens the conversation reports it.
func (t *Tasks) savePending() {
	t.mu.Lock()
	var unreported []*entry
	for _, n := range t.pending {
		if n.end {
			unreported = append(unreported, n.entry)
		}
	}
	t.mu.Unlock()
	for _, e := range unreported {
		t.saveRecord(e)
	}
}

// adoptRecords adds the tasks of an earlier run that have a record in the directory.
// The caller holds the lock during this I/O: the table is not in use yet.
func (t *Tasks) adoptRecords() error {
	t.files.host = thisHost()
	names, err := os.ReadDir(t.opts.Dir)
	if err != nil {
		return fmt.Errorf("the directory of the background tasks: %w", err)
	}
	var aside []string
	var errs []error
	for _, name := range names {
		id, ok := strings.CutSuffix(name.Name(), recordSuffix)
		if !ok {
			continue
		}
		err := t.adoptRecord(id)
		t.ids[id] = slices.ContainsFunc(t.entries, func(e *entry) bool { return e.task.ID == id })
		if errors.Is(err, ErrCorrupt) {
			var moved string
			if moved, err = durable.SetAside(t.recordPath(id)); err != nil {
				moved, err = t.recordPath(id), fmt.Errorf("set it aside: %w", err)
			}
			aside = append(aside, moved)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("the record of task %s: %w", id, err))
		}
	}
	slices.SortStableFunc(t.entries, func(a, b *entry) int { return a.task.Started.Compare(b.task.Started) })
	slices.SortStableFunc(t.pending, func(a, b notice) int { return a.entry.task.Ended.Compare(b.entry.task.Ended) })
	t.prune()
	if len(aside) > 0 {
		errs = append(errs, fmt.Errorf("%w, set aside as %s", ErrCorrupt, strings.Join(aside, ", ")))
	}
	return errors.Join(errs...)
}

// adoptRecord adds one task of an earlier run and rewrites its record with this
// process as the host. If several processes try, one of them succeeds.
func (t *Tasks) adoptRecord(id string) error {
	snap, r, err := t.readRecord(id)
	if err != nil || r.Host.alive() {
		return err
	}
	e := &entry{task: r.Task, names: r.Names, done: make(chan struct{}), record: &record{path: snap.Path(), last: snap}}
	close(e.done)
	if e.task.State == Running {
		e.task.State, e.task.Ended = Lost, time.Now()
	}
	// Another program that can write the record may have put any path into it. A path
	// outside the directory is shown, but not read.
	if filepath.Dir(e.task.OutputFile) == t.opts.Dir {
		e.work.OutputFile = e.task.OutputFile
	}
	err = e.record.write(&t.files.store, func() recordContent {
		return recordContent{Version: recordVersion, Task: e.task, Names: e.names, Host: t.files.host}
	})
	if errors.Is(err, atomicfile.ErrChanged) {
		return nil
	}
	t.entries = append(t.entries, e)
	t.pending = append(t.pending, notice{entry: e, end: true})
	return err
}

// readRecord reads one record. The error wraps ErrCorrupt if the file is not a
// record.
func (t *Tasks) readRecord(id string) (*atomicfile.Snapshot, recordContent, error) {
	snap, err := t.files.store.Load(context.Background(), t.recordPath(id), maxRecord)
	if size := (*atomicfile.SizeError)(nil); errors.As(err, &size) || errors.Is(err, realpath.ErrNotRegular) || errors.Is(err, realpath.ErrMoved) {
		return nil, recordContent{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		return nil, recordContent{}, err
	}
	var r recordContent
	if err := json.Unmarshal(snap.Data, &r); err != nil {
		return nil, recordContent{}, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if r.Version != recordVersion || r.Task.ID != id || r.Task.State == "" {
		return nil, recordContent{}, ErrCorrupt
	}
	return snap, r, nil
}
