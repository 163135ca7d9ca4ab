package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A journal is the record of a run, from which another run goes on: one JSON value in a
// line. The zero value records nothing. Its methods may be called concurrently.
type journal struct {
	mu     sync.Mutex
	memory *bytes.Buffer // without a file
	file   *os.File
	err    error // the first error of a write; nothing is written after it
}

const journalVersion = 1

// A journalHeader is the first line of a journal.
type journalHeader struct {
	Version int             `json:"version"`
	Run     string          `json:"run"`
	Name    string          `json:"name,omitempty"`   // of a workflow of the host
	Script  string          `json:"script,omitempty"` // of any other
	Args    json.RawMessage `json:"args,omitempty"`
	Began   time.Time       `json:"began"`
}

// A journalEntry is any other line of a journal. One of Start, Finish and End is set.
type journalEntry struct {
	Start  *int            `json:"start,omitempty"` // number of an agent
	Key    string          `json:"key,omitempty"`   // of its request
	Title  string          `json:"title,omitempty"` // for people
	Finish *int            `json:"finish,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"` // of the agent that finished
	End    string          `json:"end,omitempty"`   // how the run ended
}

// begin writes the first line.
func (j *journal) begin(h journalHeader) error {
	h.Version = journalVersion
	j.add(h, true)
	return j.failure()
}

// started records the start of an agent. It need not be on the disk: without the line of
// its finish it has no effect.
func (j *journal) started(number int, r agentRequest) {
	j.add(journalEntry{Start: &number, Key: r.key(), Title: r.title()}, false)
}

// finished records the result of an agent, which is on the disk then.
func (j *journal) finished(number int, value json.RawMessage) {
	j.add(journalEntry{Finish: &number, Value: value}, true)
}

// add writes a line.
func (j *journal) add(line any, sync bool) {
	text, err := encode(line)
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil || j.file == nil && j.memory == nil {
		return
	}
	text = append(text, '\n')
	switch {
	case err != nil:
		j.err = err
	case j.file == nil:
		j.memory.Write(text)
	default:
		if _, j.err = j.file.Write(text); j.err == nil && sync {
			j.err = j.file.Sync()
		}
	}
}

// failure returns why the journal is incomplete, or nil.
func (j *journal) failure() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return fmt.Errorf("the journal of the run: %w", j.err)
	}
	return nil
}

// end writes how the run ended, and closes the file. It returns why the journal is
// incomplete.
func (j *journal) end(how string) error {
	j.add(journalEntry{End: how}, true)
	j.mu.Lock()
	if j.file != nil {
		if err := j.file.Close(); j.err == nil {
			j.err = err
		}
		j.file = nil
	}
	j.mu.Unlock()
	return j.failure()
}

// content returns the lines of a journal in memory.
func (j *journal) content() []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return bytes.Clone(j.memory.Bytes())
}

// readJournal reads a journal. An incomplete end, as a program that was killed leaves it,
// is not an error; a damage before complete lines is, and wraps ErrCorrupt.
func readJournal(data []byte, run string) (journalHeader, *replay, error) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	var header journalHeader
	var of struct{ Version int }
	if readLine(lines[0], &of) == nil && of.Version > journalVersion { // it is whole, for a later program
		return header, nil, fmt.Errorf("the journal of run %s is of version %d, and this program reads version %d; start the workflow again without resumeFromRunId", run, of.Version, journalVersion)
	}
	if err := readLine(lines[0], &header); err != nil {
		return header, nil, fmt.Errorf("%w: its first line: %w", ErrCorrupt, err)
	}
	if header.Version != journalVersion || header.Run != run {
		return header, nil, fmt.Errorf("%w: it is of version %d and run %.40q", ErrCorrupt, header.Version, header.Run)
	}
	past := &pastRun{values: map[int]json.RawMessage{}}
	var damage error
	for i, line := range lines[1:] {
		if len(line) == 0 {
			continue // after the last line
		}
		var entry journalEntry
		err := readLine(line, &entry)
		if err == nil && damage != nil {
			return header, nil, fmt.Errorf("%w: %w", ErrCorrupt, damage)
		}
		if err == nil {
			err = past.add(entry)
		}
		if err != nil && damage == nil {
			damage = fmt.Errorf("line %d: %w", i+2, err)
		}
	}
	return header, past.replay(), nil
}

// readLine decodes a whole line.
func readLine(line []byte, v any) error {
	if !bytes.HasSuffix(line, []byte("\n")) {
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(line, v)
}

// A pastRun has the agents of a run, from its journal.
type pastRun struct {
	keys   []string
	values map[int]json.RawMessage // by number
	ends   []int                   // numbers, in the order of the ends
}

var errEntry = errors.New("the entry does not fit those before it")

func (p *pastRun) add(e journalEntry) error {
	switch {
	case e.Start != nil:
		if *e.Start != len(p.keys) || e.Key == "" {
			return errEntry
		}
		p.keys = append(p.keys, e.Key)
	case e.Finish != nil:
		if _, twice := p.values[*e.Finish]; twice || *e.Finish < 0 || *e.Finish >= len(p.keys) || len(e.Value) == 0 {
			return errEntry
		}
		p.values[*e.Finish] = e.Value
		p.ends = append(p.ends, *e.Finish)
	case e.End == "":
		return errEntry
	}
	return nil
}

// replay returns the results up to the first agent that did not finish.
func (p *pastRun) replay() *replay {
	r := &replay{}
	for number, key := range p.keys {
		value, finished := p.values[number]
		if !finished {
			break
		}
		r.keys, r.values = append(r.keys, key), append(r.values, value)
	}
	for _, number := range p.ends {
		if number < len(r.keys) {
			r.ends = append(r.ends, number)
		}
	}
	return r
}
