package web

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed49eaa51d/pegboard/internal/untrusted"
)

// Pauses before a request is repeated.
const (
	retryPause    = time.Second
	maxRetryPause = 10 * time.Second // a service that asks for more is not waited for
)

// errSearchesUsed means that the call or the conversation may make no further request.
var errSearchesUsed = errors.New("no further search may be made")

// A searchRun is one call of WebSearch.
type searchRun struct {
	options SearchOptions
	query   Query
	filter  domainFilter
	tally   *searchTally
	seen    map[string]bool // addresses, also of hits that were left out
	out     SearchOutput
}

// run asks for pages until there are enough hits. Hits of earlier pages outlive an error.
func (r *searchRun) run(ctx context.Context) error {
	for ; ; r.query.Page++ {
		hits, err := r.page(ctx)
		switch {
		case errors.Is(err, errSearchesUsed):
			return nil
		case err != nil && (len(r.out.Results) == 0 || ctx.Err() != nil):
			return fmt.Errorf("the search failed: %w", err)
		case err != nil:
			r.out.note = untrusted.Escape(fmt.Sprintf("More results may exist: page %d failed: %v", r.query.Page+1, err))
			return nil
		}
		if news := r.add(hits); !news || len(hits) < r.query.Limit || len(r.out.Results) >= r.options.Results {
			return nil
		}
	}
}

// page returns the hits of the query's page. It repeats a request that failed for the moment
// once.
func (r *searchRun) page(ctx context.Context) ([]Hit, error) {
	for attempt := 0; ; attempt++ {
		if r.out.SearchCount >= r.options.Calls {
			return nil, errSearchesUsed
		}
		if !r.tally.take(r.options.SessionCalls) {
			r.out.note = fmt.Sprintf("This conversation has used up its %s to search. Go on with what is known.", counted(r.options.SessionCalls, "request"))
			return nil, errSearchesUsed
		}
		r.out.SearchCount++
		q := r.query
		q.AllowedDomains, q.BlockedDomains = append([]string(nil), q.AllowedDomains...), append([]string(nil), q.BlockedDomains...)
		hits, err := r.options.Backend.Search(ctx, q)
		failure, ok := errors.AsType[*BackendError](err)
		if err == nil || !ok || !failure.Temporary || failure.After > maxRetryPause || attempt > 0 || r.out.SearchCount >= r.options.Calls {
			return hits, err
		}
		if wait(ctx, max(failure.After, retryPause)) != nil {
			return nil, err
		}
	}
}

// wait returns the error of ctx if that ends first.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// add adds the hits that may be shown until there are enough. It reports whether there was an
// address that no earlier page had.
func (r *searchRun) add(hits []Hit) (news bool) {
	for _, h := range hits {
		if len(r.out.Results) >= r.options.Results {
			return news
		}
		clean, host, ok := h.cleaned()
		switch {
		case !ok:
			r.out.invalid++
		case r.seen[clean.URL]:
		default:
			r.seen[clean.URL], news = true, true
			if r.filter.admits(host) {
				r.out.Results = append(r.out.Results, clean)
			} else {
				r.out.left++
			}
		}
	}
	return news
}
