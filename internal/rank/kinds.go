package rank

// A kind has words for something general, and words for its instances or parts: a query
// for pizza may look for a restaurant.
type kind struct{ general, members string }

// kinds are topics for which people use programs, each with its words. They come from
// general knowledge, by the same rule as the synonyms: nothing in them is from the tools or
// queries of a test set. A query for a member also looks for the general words; the
// reverse does not hold.
var kinds = [...]kind{
	{"air quality pollution", `aqi breathing ozone smog`},
	{"animal pet", `bird breed cat dog fish horse kitten puppy veterinarian`},
	{"api", `endpoint integration rest sdk webhook`},
	{"art design", `artist artwork creative drawing gallery graphic illustration logo museum painting poster sketch`},
	{"astrology horoscope", `aquarius aries capricorn fortune gemini leo libra pisces sagittarius scorpio tarot
		taurus virgo zodiac`},
	{"audio sound", `hear listen mp3 podcast recording speak speech voice`},
	{"biology", `cell dna evolution gene organism protein species`},
	{"book reading", `author bestseller fiction library literature novel poem poetry story writer`},
	{"business company", `ceo client competitors corporation customers enterprise entrepreneur industry market
		startup`},
	{"calendar schedule event", `appointment friday meeting monday reminder saturday sunday thursday tuesday
		wednesday`},
	{"car vehicle", `bmw drive ford garage honda motorcycle sedan suv tesla toyota truck`},
	{"chart graph diagram", `bar flowchart histogram line mindmap pie plot visualize`},
	{"chemistry", `acid atom compound element molecular molecule periodic reaction`},
	{"child children kids", `baby bedtime boy daughter girl parenting son toddler`},
	{"clothing fashion", `coat dress hat jacket jeans outfit shirt shoes skirt sneakers style wear`},
	{"code programming", `algorithm bug compile css debug developer function github golang html java javascript
		programmer python rust script software`},
	{"computer hardware", `cpu desktop gpu keyboard laptop macbook monitor printer ram`},
	{"coupon discount deal", `bargain cheap code promo sale save voucher`},
	{"crypto cryptocurrency", `bitcoin blockchain btc coin defi dogecoin eth ethereum litecoin nft solana token
		wallet`},
	{"currency exchange money", `aud cad chf dollar eur euro franc gbp inr jpy lira peso pound rupee usd yen
		yuan`},
	{"data analysis visualization", `chart dashboard dataset diagram graph histogram plot statistics trend`},
	{"database sql", `mongodb mysql postgres query records table`},
	{"date day", `apr april aug august dec december feb february friday jan january jul july jun june monday nov
		november oct october saturday sep sept september sunday thursday tomorrow tonight tuesday wednesday weekend
		yesterday`},
	{"device smart home", `alarm conditioner fan heater lamp light sensor speaker thermostat`},
	{"document file", `csv docx essay page paper pdf report spreadsheet text txt word`},
	{"domain website", `dns hosting register registrar`},
	{"drink", `beer cappuccino cocktail coffee juice latte soda tea whiskey wine`},
	{"education learning course", `class college curriculum degree exam homework kids lecture lesson school student
		study teacher tutor tutorial university`},
	{"email message", `gmail inbox mail newsletter outlook reply send`},
	{"environment energy", `carbon climate electricity emissions green pollution recycling renewable solar
		sustainability`},
	{"event ticket", `concert festival party show theater theatre venue`},
	{"family", `brother dad daughter father husband kids mom mother parents sister son wife`},
	{"file path", `csv docx exe gif html jpeg jpg json log mp3 mp4 pdf png pptx txt wav xlsx xml yaml zip`},
	{"finance financial", `bank budget credit debt expenses income interest loan mortgage savings tax`},
	{"fitness exercise workout", `calories cardio gym jog lifting muscle running steps strength stretch training
		weight yoga`},
	{"flight airline", `airfare airplane airport boarding fly layover plane`},
	{"food restaurant", `breakfast brunch burger coffee cuisine diner dining dinner eat hungry italian latte lunch
		noodles pasta pizza sandwich sushi taco vegan vegetarian`},
	{"furniture interior home", `bed bedroom chair couch decor kitchen living sofa table`},
	{"game", `chess dice minecraft multiplayer nintendo player playstation poker puzzle quest rpg steam
		trivia xbox`},
	{"geometry area", `circle cube cylinder perimeter polygon radius rectangle sphere square triangle volume`},
	{"gift", `anniversary birthday christmas present valentine`},
	{"government politics", `campaign congress election law minister parliament policy president senate vote`},
	{"health medical", `allergy blood cancer clinic cough diabetes diagnosis disease doctor drug fever headache
		heart hospital illness medicine nurse pain patient symptom therapy treatment vaccine`},
	{"history historical", `ancient battle century empire king medieval queen revolution war`},
	{"hotel accommodation", `airbnb guesthouse hostel inn lodging motel resort room stay`},
	{"house property estate", `apartment bedroom buy condo home landlord mortgage neighborhood realtor rent rental
		tenant`},
	{"image picture", `artwork banner camera draw illustration jpeg jpg logo paint photo photograph pixel png
		portrait poster selfie sketch visual`},
	{"job career", `applicant employer hire internship interview opening position profession recruiter resume salary
		unemployed vacancy work`},
	{"joke humor fun", `comedy entertain funny laugh meme pun`},
	{"knowledge facts encyclopedia", `define explain explanation learn meaning wikipedia`},
	{"language learn", `fluent grammar phrase pronunciation speak spoken vocabulary`},
	{"language translate", `arabic chinese dutch english french german hindi italian japanese korean polish
		portuguese russian spanish swedish turkish`},
	{"law legal", `attorney case contract court crime judge lawsuit lawyer legislation regulation rights statute`},
	{"location place", `address around city country latitude longitude near nearby nearest neighborhood region state
		street town`},
	{"marketing advertising", `ads audience brand campaign customers promote seo`},
	{"math calculate", `add algebra calculus derivative divide equation formula fraction geometry integral matrix
		multiply percentage polynomial solve subtract sum trigonometry`},
	{"mental health", `anxiety depression insomnia meditation mindfulness mood sleep stress therapist therapy`},
	{"message chat", `conversation discord send slack sms talk telegram text whatsapp`},
	{"movie film", `actor actress cinema comedy director drama hollywood horror netflix oscar series theater theatre
		thriller watch`},
	{"movie show", `anime episode netflix season series sitcom streaming television tv`},
	{"music song", `album artist band concert drum guitar hip hop jazz listen lyrics melody piano playlist pop rap
		rock singer spotify track tune violin`},
	{"news article", `breaking current election events headline journalist latest newspaper politics press today`},
	{"nutrition diet food", `calories carbs eating fat healthy meal protein vitamins weight`},
	{"payment pay transaction", `bank bill card checkout invoice paypal refund stripe transfer`},
	{"percentage rate", `percent`},
	{"phone mobile", `android call contact iphone samsung smartphone`},
	{"physics", `acceleration electric energy force friction gravity magnetic mass momentum quantum speed velocity`},
	{"plant garden", `flower seeds soil tree vegetable`},
	{"presentation slides", `deck keynote powerpoint ppt slideshow`},
	{"prompt ai", `chatgpt dalle generative gpt llm midjourney`},
	{"question answer", `ask quiz trivia`},
	{"recipe cook food", `bake beef bread cake chicken cookies cuisine dessert dinner dish fry grill
		ingredients meal roast salad soup vegan vegetarian`},
	{"relationship dating", `boyfriend girlfriend love marriage partner wedding`},
	{"religion bible", `buddhist christian church god islam jesus prayer quran scripture spiritual verse`},
	{"review rating", `critics feedback opinion quality recommend reputation stars`},
	{"rewrite text writing", `edit essay grammar paragraph paraphrase plagiarism proofread rephrase sentence wording`},
	{"route map directions navigation", `distance drive nearest road shortest traffic walk way`},
	{"sales customer crm", `client deal lead pipeline prospect`},
	{"science research paper", `academic biology chemistry citation experiment journal physics publication scholar
		scientific scientist study theory`},
	{"search engine seo", `backlinks bing google keyword ranking traffic`},
	{"security privacy", `attack breach encryption hack hacker malware password phishing virus vulnerability`},
	{"shipping delivery package", `courier fedex order parcel shipment track ups usps`},
	{"shopping product store", `amazon brand buy cheap cheaper cheapest deals ebay gift order price purchase sale`},
	{"social media", `facebook follower hashtag influencer instagram linkedin post reddit tiktok tweet twitter
		youtube`},
	{"space astronomy", `asteroid galaxy mars moon nasa orbit planet rocket satellite star telescope`},
	{"sport", `athlete baseball basketball championship coach cricket fifa football golf hockey league match
		mlb nba nfl nhl olympics player rugby score soccer team tennis tournament`},
	{"spreadsheet data", `column csv excel row sheet table`},
	{"statistics probability", `average correlation deviation dice distribution mean median odds random regression
		sample variance`},
	{"stock market finance", `bond broker dividend dow equity invest investor nasdaq portfolio shares ticker trader
		trading`},
	{"summarize summary", `brief condense key overview points shorten tldr`},
	{"task reminder todo", `checklist chores deadline remember`},
	{"time date", `clock hour minute oclock timezone`},
	{"time hour", `afternoon evening midnight morning noon oclock pm`},
	{"transport", `bus buses cab commute ferry metro ride subway taxi train tram uber`},
	{"travel trip", `abroad airport backpacking cruise destination flight getaway holiday hotel itinerary luggage
		sightseeing tour tourism tourist vacation visit`},
	{"unit conversion convert", `celsius fahrenheit feet gallons grams inches kilograms kilometers liters meters
		miles ounces pounds`},
	{"url link", `http https www`},
	{"video", `clip film footage movie mp4 recording streaming tiktok vlog watch youtube`},
	{"weather forecast", `celsius chilly cloud cloudy cold degrees drizzle fahrenheit fog freezing hail hot humid
		rain rainy snow snowy storm stormy sun sunny thunderstorm umbrella warm wind windy`},
	{"website web", `blog browser domain html internet link online page seo site url`},
	{"write text", `article blog content copywriting draft essay letter paragraph poem speech story`},
}
