// The words that the seed puts together: people, subjects, and what is said about them.

interface Subject {
  about: string
  words: string[]
  lines: string[]
  end: string
}

interface Opening {
  before: string
  after: string
  lead: string
}

export const people = [
  'Ingrid Solberg',
  'Tomás Ferreira',
  'Amara Okafor',
  'Jonas Lindqvist',
  'Mei Tanaka',
  'Priya Raman',
  'Oskar Nowak',
  'Leila Haddad',
  'Callum Fraser',
  'Sofia Marchetti',
  'Henrik Dahl',
  'Zeynep Aydın',
  'Noah Bergeron',
  'Fatima Zahra',
  'Piotr Zieliński',
  'Grace Mwangi',
  'Émile Rousseau',
  'Hannah Weiss',
  'Rui Almeida',
  'Siobhán Kelly',
]

export const bios = [
  'Repairs boats, mostly other people’s.',
  'Writes about the coast and the trains that reach it.',
  'Cooks for forty on weekdays and for nobody on Sundays.',
  null,
  'Keeps the tide tables honest.',
  'Photographs weather. Owns too many umbrellas.',
  'Former lighthouse electrician, now teaching.',
]

export const tags: [name: string, description: string | null][] = [
  ['boats', 'Things that float, and how to keep them floating'],
  ['weather', 'Fog, mostly'],
  ['kitchen', 'What comes out of the sea, and onto a plate'],
  ['history', 'Before the bridge was built'],
  ['repairs', 'Glue, epoxy, patience'],
  ['birds', null],
  ['trains', 'Getting here without a car'],
  ['winter', null],
  ['gardens', 'Salt wind and what grows in it'],
  ['maps', 'Old ones and wrong ones'],
  ['people', 'Neighbours, told with their consent'],
  ['tools', null],
  ['swimming', 'Cold water, warm socks'],
  ['markets', 'Thursday mornings on the quay'],
  ['light', 'Lamps, lenses, long exposures'],
]

export const openings: Opening[] = [
  {
    before: 'A beginner’s guide to ',
    after: '',
    lead: 'People keep asking me the same three questions, so here are the answers in one place.',
  },
  {
    before: 'What nobody tells you about ',
    after: '',
    lead: 'I was warned about the cost. I was not warned about the hours.',
  },
  {
    before: 'Ten years of ',
    after: '',
    lead: 'My first notebook about this is falling apart, which is as good a reason to write as any.',
  },
  { before: 'In praise of ', after: '', lead: 'It has gone out of fashion, and that is exactly why it still works.' },
  {
    before: 'A short history of ',
    after: ' on this coast',
    lead: 'The archive has two boxes about it, and one of them is mislabelled.',
  },
  {
    before: 'Mistakes I made with ',
    after: '',
    lead: 'None of these were expensive on their own. Together they paid for somebody’s new roof.',
  },
  {
    before: 'Notes on ',
    after: ' in winter',
    lead: 'Everything takes twice as long below five degrees, including thinking.',
  },
  {
    before: 'Why I gave up on ',
    after: ', and came back',
    lead: 'For one whole summer I did not touch it. The summer was fine. I was not.',
  },
]

export const subjects: Subject[] = [
  {
    about: 'wooden hulls',
    words: ['wood', 'hull', 'caulking'],
    lines: [
      'Tap along the planks with the handle of a screwdriver: sound wood rings, wet wood answers late.',
      'Cotton first, then oakum, then the compound. Skipping the cotton saves an hour and costs a season.',
      'Let her take up in the slings overnight before you believe any leak you see.',
      'Paint is not a structural material, whatever the last owner thought.',
    ],
    end: 'If you are unsure about a plank, you are already sure about it.',
  },
  {
    about: 'fog signals',
    words: ['fog', 'signals', 'lighthouse'],
    lines: [
      'The old diaphone on the north pier needed eleven minutes of warning before it could speak.',
      'Sound bends downwards over cold water, which is why the far bank hears it better than we do.',
      'The modern one is a grey box on a pole and everybody misses the grunt at the end.',
      'Two blasts every thirty seconds: you stop hearing it within a week, and wake up when it stops.',
    ],
    end: 'It will be switched off in March, and the gulls will have no one to argue with.',
  },
  {
    about: 'smoking herring',
    words: ['herring', 'smokehouse', 'alder'],
    lines: [
      'Brine until an egg floats, then an hour for each hundred grams. Write the time on the bucket.',
      'Alder chips, never pine, and never from a pallet.',
      'Dry them in the wind until the skin feels like paper; smoke does not stick to water.',
      'Keep the door shut. Looking adds twenty minutes.',
    ],
    end: 'They keep for a week, in theory.',
  },
  {
    about: 'the night ferry',
    words: ['ferry', 'night', 'timetable'],
    lines: [
      'Cabins on deck five are over the engine, which is loud but warm; deck seven is quiet and cold.',
      'Coffee is free after two in the morning if you ask the second engineer and not the steward.',
      'The connecting bus waits for exactly nine minutes. I have tested this.',
      'Stand on the port side for the lights of the islands, about an hour before arrival.',
    ],
    end: 'There is talk of a tunnel. There has been talk of a tunnel since 1962.',
  },
  {
    about: 'tide tables',
    words: ['tides', 'tables', 'harmonics'],
    lines: [
      'The printed heights assume a standard pressure; a deep low will add half a metre without asking.',
      'Our harbour has a stand of almost forty minutes at high water, thanks to the two entrances.',
      'Add an hour in summer. Every year somebody does not, and every year we pull the same car out.',
      'Thirty-seven constituents are enough for a quay. A model railway needs fewer.',
    ],
    end: 'When table and water disagree, believe the water.',
  },
  {
    about: 'salt-proof gardens',
    words: ['garden', 'salt', 'hedge'],
    lines: [
      'Plant the hedge first and wait two years. The roses can wait; they are used to it.',
      'Sea kale is not decoration. It is the only thing in the bed with a plan.',
      'Rinse the leaves after a gale, before the sun gets to them.',
      'Seaweed as mulch, yes, but let a winter of rain go through it.',
    ],
    end: 'Whatever survives, plant more of that.',
  },
  {
    about: 'harbour maps',
    words: ['maps', 'soundings', 'survey'],
    lines: [
      'The survey of 1884 shows a rock that no one has ever hit, and the present one leaves it out.',
      'Depths in the inner basin are in feet on one sheet and in fathoms on its neighbour.',
      'A good map says when it was wrong last.',
      'Someone has drawn a sea serpent near the fuel dock, in pencil, and the office keeps copying it.',
    ],
    end: 'I have marked my own corrections in green; please do the same in another colour.',
  },
  {
    about: 'counting terns',
    words: ['terns', 'birds', 'counting'],
    lines: [
      'Count the pairs and not the birds, and count before nine, while they still sit.',
      'Wear a hat. They aim for the highest point, and it should not be you.',
      'The colony moved forty metres this spring, to the roof of the new ice plant.',
      'Three of the rings were from the estuary, one from Ghana.',
    ],
    end: 'Two hundred and six pairs, give or take a fox.',
  },
  {
    about: 'cold-water swimming',
    words: ['swimming', 'cold', 'safety'],
    lines: [
      'Go in slowly, come out early, and have the flask open before you start.',
      'One minute for each degree is a rule for people who have done it before.',
      'You are coldest ten minutes after you leave the water; do not drive in those ten minutes.',
      'We meet at the slip at seven. Nobody is timed, and nobody is photographed.',
    ],
    end: 'Bring socks. Bring the second pair of socks.',
  },
  {
    about: 'net mending',
    words: ['nets', 'mending', 'knots'],
    lines: [
      'A sheet bend, always, and pulled tight in the direction of the mesh.',
      'Cut the hole larger than it is, until every edge is three bars. It hurts only once.',
      'Nylon is forgiving; the new polyethylene remembers every knot that you did not make.',
      'Sit with the light behind you and somebody talkative beside you.',
    ],
    end: 'An evening, a thermos, four square metres.',
  },
  {
    about: 'the Thursday market',
    words: ['market', 'quay', 'bread'],
    lines: [
      'The bread is gone by half past eight and the baker is gone by nine.',
      'Ask for the crooked cucumbers; they are the same cucumbers.',
      'Prices fall in the last ten minutes, and so does the choice.',
      'The knife grinder comes on the first Thursday of the month, if his van does.',
    ],
    end: 'Bring cash, a bag, and news.',
  },
  {
    about: 'old lamp lenses',
    words: ['lens', 'lamp', 'optics'],
    lines: [
      'A third-order lens weighs as much as a small car, and turns with one finger in its bath of mercury.',
      'Never wipe a prism with a dry cloth. Never wipe a prism twice with the same cloth.',
      'The brass frame moves in the heat and the glass does not: that is what the lead strips are for.',
      'Stand inside it at dusk once in your life, with the lamp off.',
    ],
    end: 'The museum opens on weekends. Say that I sent you, or rather don’t.',
  },
  {
    about: 'branch-line trains',
    words: ['trains', 'branch line', 'station'],
    lines: [
      'Sit on the left going west: the line runs along the water for eleven minutes and it is worth the fare.',
      'The stop is on request, so look as if you meant it.',
      'Tickets from the machine are dearer than tickets from the conductor, who likes exact change.',
      'When the points freeze, the replacement bus starts from the other side of the bridge.',
    ],
    end: 'Four trains a day, six in summer, none at Christmas.',
  },
  {
    about: 'small outboard engines',
    words: ['outboard', 'engine', 'carburettor'],
    lines: [
      'If it ran last autumn and will not run now, it is the fuel. If you changed the fuel, it is still the fuel.',
      'Replace the impeller every second year, and count the blades of the one that you take out.',
      'Write the gap of the spark plug on the inside of the hood.',
      'Flush it with fresh water, every time, including the time when you are tired.',
    ],
    end: 'And carry oars.',
  },
  {
    about: 'the reading room',
    words: ['library', 'books', 'quiet'],
    lines: [
      'The stove is lit from October on, and the chair next to it is taken from October on.',
      'Newspapers arrive with the noon boat, so the morning here is always yesterday.',
      'There is a shelf of books that were left on benches; take one, leave one, dry it first.',
      'The visitors’ book goes back to 1911, with a gap.',
    ],
    end: 'Open until the last reader leaves, which is usually me.',
  },
]

export const photos = [
  'First frost on the slipway',
  'Two cranes and a kite',
  'Low water at the old steps',
  'The ice plant at midnight',
  'Nets drying behind the school',
  'Last boat in before the gale',
  'Terns over the breakwater',
  'A queue for bread',
  'The north pier in fog',
  'Caulking, day three',
  'Lamp room, looking up',
  'Socks on the radiator',
]

export const commentLines = [
  'I tried this last weekend and it worked on the second attempt.',
  'My grandfather did it the other way round and lived to ninety-one.',
  'Where did you get the alder chips? The timber yard only sells them by the truckload.',
  'This is the clearest explanation of it that I have read.',
  'Small correction: the north pier was rebuilt in 1931, not 1913.',
  'Could you add a picture of step two?',
  'We have the same problem on the east side, only with more wind.',
  'Printed it and pinned it up in the boathouse.',
  'Please write about the winter timetable next.',
  'I disagree about the paint, but I enjoyed disagreeing.',
  'The link to the archive is dead; they moved it to the county pages.',
  'Forty minutes? It took me three hours and a neighbour.',
  'Thank you. I had been doing this wrong since spring.',
  'Does that also hold for fibreglass?',
  'I was on that ferry. The coffee part is true.',
  'Counted 198 from the other side of the fence, so we agree within a fox.',
  'You forgot to mention the smell.',
  'Best thing that I read over breakfast this week.',
  'Has anyone done this in the rain?',
  'Bookmarked for October.',
  'The second photo explains more than the first three paragraphs.',
  'Is the museum open on public holidays too?',
  'Somebody should tell the harbour office.',
  'I still have one of those, in working order, if you want to see it.',
]

export const replies = [
  'Good point, I have changed the text.',
  'Only if the water is colder than the air.',
  'I asked: they open on holidays, from eleven.',
  'It does, but sand it first.',
  'Come by on Thursday, I will show you.',
  'You are right about the year. Sorry!',
  'That made me laugh. The neighbour too.',
  'I would not, but I have seen it done.',
  'Ask at the chandlery, they keep some under the counter.',
  'Noted for the next part.',
]
