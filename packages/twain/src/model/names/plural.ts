// The plural of an English word. It always differs from the word: a list and an item must not share a name.

const irregular: Readonly<Record<string, string>> = {
  person: 'people',
  child: 'children',
  man: 'men',
  woman: 'women',
  foot: 'feet',
  tooth: 'teeth',
  goose: 'geese',
  mouse: 'mice',
  louse: 'lice',
  ox: 'oxen',
  die: 'dice',
  datum: 'data',
  medium: 'media',
  criterion: 'criteria',
  phenomenon: 'phenomena',
  curriculum: 'curricula',
  cactus: 'cacti',
  stimulus: 'stimuli',
  alumnus: 'alumni',
  quiz: 'quizzes',
  leaf: 'leaves',
  loaf: 'loaves',
  half: 'halves',
  shelf: 'shelves',
  self: 'selves',
  elf: 'elves',
  calf: 'calves',
  wolf: 'wolves',
  thief: 'thieves',
  knife: 'knives',
  wife: 'wives',
  life: 'lives',
  hero: 'heroes',
  potato: 'potatoes',
  tomato: 'tomatoes',
  echo: 'echoes',
  veto: 'vetoes',
  cargo: 'cargoes',
}

/** Words in `-is` whose plural ends in `-es`; others (`iris`) only get a suffix. */
const greek = /(?:analy|ba|cri|diagno|empha|hypothe|neuro|oa|paraly|parenthe|progno|the|synop|synthe)sis$|^axis$/

/** The plural of the last word of a kebab-case name: `loan-request` → `loan-requests`. */
export function plural(name: string): string {
  const start = name.lastIndexOf('-') + 1
  return name.slice(0, start) + pluralWord(name.slice(start))
}

function pluralWord(word: string): string {
  const known = Object.hasOwn(irregular, word) ? irregular[word] : undefined
  if (known) return known
  if (/(?:wo|gentle|fire|sales|chair|police|crafts|fisher)man$/.test(word)) return word.replace(/man$/, 'men')
  if (greek.test(word)) return word.replace(/is$/, 'es')
  if (/[^aeiou]y$/.test(word) || /quy$/.test(word)) return word.replace(/y$/, 'ies')
  if (/(?:[ei]x)$/.test(word) && /^(?:index|matrix|vertex|appendix|vortex|codex)$/.test(word)) {
    return word.replace(/[ei]x$/, 'ices')
  }
  if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`
  return `${word}s`
}
