package proc

import "context"

// Run starts a command and waits for its end.
func (t *Table) Run(ctx context.Context, c Command) (Exit, error) {
	p, err := t.Start(ctx, c)
	if err != nil {
		return Exit{}, err
	}
	return p.Exit(), nil
}

// Live returns how many commands have not come to their end.
func (t *Table) Live() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.live)
}
