/**
 * English words that are close to a word of the vocabulary, and are no misspelling of it: "case" is
 * not "cause". Those of SCOWL (http://wordlist.aspell.net), sizes 10 and 20.
 */
const WORDS = `
abort absolute accident accidents acquires aged aimed aiming aligned alike along alter alternate
alternatively amend ancient annually apologies apology append appended appending approves
approving arise aspects assign assigns assisted await awaiting awaits awake bakes balls bank
bashing batch baths beach bean beast became bending betting binding bitter black blade blasting
blink bones booked books bother bothers bound bout brain brake breach bread bright bring buffer
buffering buffers burying buses butter cabled cakes caller cancel cancels case cased cases cash
casing casting casts catch catches ceasing cells certainly certificate chair chance chances
changing charge charged charges chasing cheap cheating checker cheek chewing chose chuck chucked
chucking clash clashes classing clause clauses clinical clipping clone coast coats coded codes
coding coincidence cold collected collection collections collects commas comments commit commons
companion compares compete competed competent competes competing compiled compiling completes
complex composed composing compute computed computing concealed concede conception concepts
concerts concludes conducted conducts conference confusion congested congestion congests
connecting connector consented consents consider considers consume consumed consumer consumes
contacted contacts contention contents contexts continent contract convention conventions
converted converts convicted conviction convictions convicts cooked cooks cools copes coping
corrected correction corrections correctly corrects count county court courts cracking cramping
crass crawling criminal critic critics crossing crush crushed crushes crushing cunning cups
currency curtain custom customary customs dashing dates decent decoding decrease deduce deeds
defeated defend defended defending defends degrade degrades delayed deleted demanded demanding
demented dependence descended descending deserted designed detached detect detecting detector
detects devices devious diagnostic diagnostics differed differing dined dines directed discs disk
distance distances dived dives diving donation dose doses drawn dread dried dries drove drown
duplication dying earning education effect effects elected electing election elections empire
employed employment ending endings enforced ensured erasing estate even evens evident evolution
evolved evolves evolving exceeded exciting exclamation excludes executing executive exhaust
exhausts exit exiting exits expire expires expiry exploded exploration exploring exposing extent
factual factually falling falls farewell featured feeds fever fewest fight figures filed filing
fined fines fining finishes fired fished fixes flagging flame flash flashing flawing flesh
flipping flour flower fond fools forgot form formal formation formed freak freaks frequency
frequent froze fund funding gain gates ghost glean grain greed growing hacking hall halls halve
handing hands hanged hardened hardening hates head height hole homes hooked hooks horse hosts hour
impaired impended impending implication implications imply imported imposed imposing impossible
improbable improves incidence incidental include included inclusion incoming incomplete incurred
incurring indent independent infected inference informal informative informs inquires insane
insect inspected inspects instant instinct insurance investigating invoked involve involves irate
irresponsible isolation issued jacket jackets lacked latter leach leading lean leaning least
leaving lending lest letter letting liable lies light likes limit lined links listing live lively
lives living locks logic loops lose lots lover lovers lunch mailing mails maintain maintained
maker makers males manage managed manages mapping master match matches measures meetings mended
mending messes messing minding mines mixed moaning modes modified mornings mother mothers motivate
motivation mount mountains mounts mutter mutually nailed nailing nails nested never night noses
notable notes notifies noting novice novices objecting occupied occurring offering opponent
opponents ours outrage outraged outrages overload overloads overlooked packed packet pages
passages passport password patches pause paused pauses pausing payed pended permission persons
pitch placed pleased pleases plots pocket pockets polls pollution pool ported position possibly
posters posts pound pours power praise preach preached preaches precious prediction prepared
prescribe presently priorities probably process processed processes productive professor programs
projecting projection prone prose protection proud proved proven proving punished pure queue
queues rabbit rabbits races racket radios rails rain raining ranging rash rate rated rats raves
reached react reacted reacting readable reassured recommends recorded recording recovery reducing
reduction referring refining reflecting reformed refuses refute regain rejected rejection relate
relates relaxed relaxes relay release released releases reliably relied relief relieve remained
remarking reminding removed removes removing rend rending rendition rends repairing repeated
repeating repent replaces replied replies reply reporter reproduction required requiring resent
reserved reserves reserving resetting residence resigned resolution resolves resort resorted
resorting resorts resource respected respecting respects response responses rested restoring rests
resulted resulting resuming retail retain retained retaining retired retires retiring reuse
revealed reversed reverses revising revolted revolting revolution rise risks robot roof round rout
routs ruining ruins ruler rules rushing safety sailed sailing sails sale scare scared scares
scaring sealing season secret seeks selected selecting send sending sent series serves sessions
setting settling sexist shade shades shake shakes shaking shame shape shaped shapes shaping sharp
shell shipped shocking shoes shone shopped shops short shots showing sight signed simple
simulation sine sing sitting situated situating skill slipped slipping slot slower slowest slows
small smart smashing sole solves solving sound sources spare spares sped speed spending spill
spite spool sport spots stack stage stake stall stance star stare stared stares staring stark
starred stars starter starting startled starved stated states station stays steam steep stems
stepped stick stock stole stream strings struck style subjected subjects succeeds sued sues
suggesting suggests suing suite summaries summarized summarizes survives suspended suspends
swapping table tacks tails taker takers tale tales tanks tapes tasks tasted tasting taxes teach
teaches tears tend tended tending tends terms terror thank thee theme theology thick thin thinks
threw throw thrown thrust tied ties tight tiles till time timed timer tired tires tiring tones
tools tops tower towns train trapping trash tread tree trendy triggers turned turning tying unable
unavoidable uncertainty unconnected underlay unfinished unreadable unreliable unsuccessful
unsuitable unusable updated upgraded urge urgently usable vanished vended vending version volume
wakes walks walls wanting wants warming warping washing wasting watched wealth wealthy week weight
welcoming wetting whale while whose width winding wines witch women worded wording words wore
workings world worms wound wrapping wrecking writing yours zones
`;

const ENGLISH: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));

export const isEnglish = (word: string): boolean => ENGLISH.has(word);
