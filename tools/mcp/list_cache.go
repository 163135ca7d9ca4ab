package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages is how many pages of a list are read.
const maxPages = 1000

// list is a list of a server: tools, resources, resource templates or prompts.
type list struct {
	entries []json.RawMessage
	read    time.Time
	expires time.Time // the time of reading if the server did not say how long the list is valid
	problem error     // why the entries are not all
}

// fresh reports whether the server said that the list is still valid.
func (l *list) fresh() bool { return l != nil && time.Now().Before(l.expires) }

// listCache keeps the lists of a connection for as long as the server says. The zero value
// is empty.
type listCache struct {
	mu    sync.Mutex
	kept  map[string]*list // by the member of the result
	epoch int              // counts the calls of forget
}

// forget drops lists, because the server says that they have changed.
func (k *listCache) forget(members ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.epoch++
	for _, m := range members {
		delete(k.kept, m)
	}
}

func (k *listCache) get(member string) (l *list, epoch int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if l := k.kept[member]; l.fresh() {
		return l, k.epoch
	}
	return nil, k.epoch
}

// keep keeps a list, unless lists were forgotten since that epoch.
func (k *listCache) keep(member string, l *list, epoch int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if epoch != k.epoch || !l.fresh() {
		return
	}
	if k.kept == nil {
		k.kept = map[string]*list{}
	}
	k.kept[member] = l
}

// page is the part of a result that all lists have.
type page struct {
	entries []json.RawMessage
	cursor  string
	ttl     time.Duration
}

// readPage reads a page of a list. A member of a wrong type counts as missing, but for the
// list itself.
func readPage(raw json.RawMessage, member string) (p page, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return p, err
	}
	if err := json.Unmarshal(members[member], &p.entries); err != nil {
		return p, fmt.Errorf("its %s are no list", member)
	}
	var ttl float64
	_ = json.Unmarshal(members["nextCursor"], &p.cursor)
	if json.Unmarshal(members["ttlMs"], &ttl) == nil {
		p.ttl = time.Duration(min(max(ttl, 0), 1e12)) * time.Millisecond
	}
	return p, nil
}

// pages reads a list of at most limit entries; 0 means all. All entries together may be as long
// as one message. Send sends the request for one
// page.
func (c *connection) pages(ctx context.Context, member string, limit int, send func(ctx context.Context, meta mcp.Meta, cursor string) error) (*list, error) {
	kept, epoch := c.lists.get(member)
	if kept != nil {
		return kept, nil
	}
	l, cursor, seen, size := &list{read: time.Now()}, "", map[string]bool{}, 0
	maxSize := c.server.servers.options.MaxMessage
	for number := range maxPages {
		raw, err := c.request(ctx, func(ctx context.Context, meta mcp.Meta) error { return send(ctx, meta, cursor) })
		if err != nil {
			return nil, err
		}
		p, err := readPage(raw, member)
		if err != nil {
			return nil, err
		}
		size += len(raw)
		if size > maxSize && number > 0 {
			l.problem = fmt.Errorf("the list is longer than %d bytes", maxSize)
			return l, nil
		}
		l.entries = append(l.entries, p.entries...)
		if expires := l.read.Add(p.ttl); number == 0 || expires.Before(l.expires) {
			l.expires = expires
		}
		switch {
		case p.cursor == "":
			c.lists.keep(member, l, epoch)
			return l, nil
		case limit > 0 && len(l.entries) >= limit:
			l.entries = l.entries[:limit]
			l.problem = fmt.Errorf("only the first %d are listed", limit)
			return l, nil
		case seen[p.cursor]:
			l.problem = fmt.Errorf("the server repeats its list after %d pages", number+1)
			return l, nil
		}
		seen[p.cursor], cursor = true, p.cursor
	}
	l.problem = fmt.Errorf("the server has more than %d pages", maxPages)
	return l, nil
}
