package exchange

import "slices"

// Tracked returns the number of requests that were begun and not ended.
func (x *Exchange) Tracked() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.tracked)
}

// Pending returns the methods of the requests that were sent and not answered, sorted.
func (x *Exchange) Pending() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	methods := make([]string, 0, len(x.sent))
	for _, s := range x.sent {
		methods = append(methods, s.method)
	}
	slices.Sort(methods)
	return methods
}
