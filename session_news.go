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

// News removes and returns what s was told, in the order of [Session.Tell]. A loop asks before
// each request, and sends the parts as the last arguments of a wire's Results, or with the
// user's message. If parts were left out, the first part says how many. The notices of
// tools/background are apart, and hosts ask for both.
func (s *Session) News() []Part {
	s.mustExist("News")
	parts, dropped := s.news.take()
	if dropped > 0 {
		parts = append([]Part{droppedNews(dropped)}, parts...)
	}
	return parts
}

// mainNews returns the news of the main session, or nil if s is it.
func (s *Session) mainNews() *news {
	if s.parent == nil {
		return nil
	}
	return &s.main().news
}
