package resulttrim

import (
	"encoding/json"
	"errors"
	"fmt"
)

// version is the version of the JSON. It changes with its format, because decisions that
// were read wrongly would change bytes that were sent before.
const version = 1

type document struct {
	Version int     `json:"version"`
	Results []entry `json:"results"`
}

type entry struct {
	ID     string `json:"id"`
	Repeat int    `json:"repeat,omitempty"`
	Form   string `json:"fate"`
	Text   string `json:"text,omitempty"`
}

// MarshalJSON writes all decisions and texts, for a host that stores them with its
// transcript. The same State gives the same bytes.
func (s State) MarshalJSON() ([]byte, error) {
	d := document{Version: version, Results: make([]entry, len(s.records))}
	for i, r := range s.records {
		d.Results[i] = entry{ID: r.key.id, Repeat: r.key.repeat, Form: r.form.String(), Text: r.text}
	}
	return json.Marshal(d)
}

// UnmarshalJSON replaces the State by one that MarshalJSON wrote. After an error, such
// as for an unknown version, the State is unchanged.
func (s *State) UnmarshalJSON(data []byte) error {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return err
	}
	if d.Version != version {
		return fmt.Errorf("decisions on results have version %d, want %d", d.Version, version)
	}
	var read State
	read.allocate(len(d.Results))
	for i, e := range d.Results {
		if err := read.addEntry(e); err != nil {
			return fmt.Errorf("decision %d, on %q: %w", i, e.ID, err)
		}
	}
	*s = read
	return nil
}

// addEntry adds a decision that was read from JSON.
func (s *State) addEntry(e entry) error {
	r := record{key: Key{id: e.ID, repeat: e.Repeat}, text: e.Text}
	for _, f := range []Form{Whole, Replaced, Masked} {
		if f.String() == e.Form {
			r.form = f
		}
	}
	_, known := s.index[r.key]
	switch {
	case r.form == undecided:
		return fmt.Errorf("unknown fate %q", e.Form)
	case e.Repeat < 0:
		return fmt.Errorf("repeat is %d", e.Repeat)
	case known:
		return errors.New("it is there twice")
	case r.form == Whole && r.text != "":
		return errors.New("a whole result has a text in its place")
	}
	s.add(r)
	return nil
}
