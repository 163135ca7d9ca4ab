package pegboard

// Tell adds words for the model that belong to no call, such as those of a hook that goes on
// while the turn does. They are kept until [Session.News] hands them out, at most 256
// parts of each session; then the oldest are left out. What a fork was told and has not handed
// out when it is closed, and what it is told later, goes to the main session. A closed main
// session keeps nothing.
//
// Parts that show nothing are left out. The others are kept as they are, so the caller cuts
// long texts. Their bytes must not be changed afterwards.
func (s *Session) Tell(parts ...Part) {
	s.mustExist("Tell")
	if parts = visibleParts(parts); len(parts) > 0 {
		s.news.tell(s.mainNews(), parts)
	}
}

// News removes and returns what s was told, in the order of [Session.Tell], and appends what
// the funcs of [Session.OnNews] return. A loop asks before each request, and sends the parts as
// the last arguments of a wire's Results, or with the user's message. If parts were left out,
// the first part says how many. The notices of tools/background are among the news.
func (s *Session) News() []Part {
	s.mustExist("News")
	parts, dropped, sources := s.news.take()
	if dropped > 0 {
		parts = append([]Part{droppedNews(dropped)}, parts...)
	}
	for _, source := range sources {
		parts = append(parts, source.ask()...)
	}
	return parts
}

// OnNews makes [Session.News] of s ask more each time, and append what it returns. It is for
// what is kept elsewhere and handed out at the moment of asking, such as a mailbox: nothing is
// lost between two requests if the program ends there. Several are asked in the order of their
// first OnNews. A second OnNews of a name replaces the func of the first, and a nil func
// removes it.
//
// More returns soon, and may be called concurrently. It may use the session, but not News. Parts
// that show nothing are left out. If more panics, a part says so in its place. A fork asks its
// own funcs only. A closed session has none, and ignores OnNews.
func (s *Session) OnNews(name string, more func() []Part) {
	s.mustExist("OnNews")
	s.news.setSource(name, more)
}

// Arrival returns a channel that is closed as soon as something waits for the model: words of
// [Session.Tell] that News has not handed out, or what a source has announced with
// [Session.AnnounceNews]. If something waits already, the channel is closed. It is closed, too, when
// s is closed. A host or a tool that waits calls Arrival each time that it begins to.
func (s *Session) Arrival() <-chan struct{} {
	s.mustExist("Arrival")
	return s.news.arrivalOf()
}

// AnnounceNews says whether something waits for the model of s under a name, such as that of
// [Session.OnNews]: [Session.Arrival] tells those who wait. A source calls it with true when it
// gets something and with false when nothing is left, in the order of these changes. It returns at
// once and calls nothing, so it may be called while a lock is held. A source that announces nothing
// is asked by News all the same.
func (s *Session) AnnounceNews(name string, waits bool) {
	s.mustExist("AnnounceNews")
	s.news.announce(name, waits)
}

// mainNews returns the news of the main session, or nil if s is it.
func (s *Session) mainNews() *news {
	if s.parent == nil {
		return nil
	}
	return &s.main().news
}
