import fc from 'fast-check'

/** First code point of the surrogates, and their number. They are no characters. */
const [surrogates, count] = [0xd800, 0x800]

/**
 * Any character of Unicode, as `unit` of a text. The unit `binary` of fast-check is the same, but it makes a table of
 * all characters in each process, which takes 0.7 s of processor time.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - count }).map(
  index => String.fromCodePoint(index < surrogates ? index : index + count),
  text => {
    const [code = -1, ...more] = [...(text as string)].map(character => character.codePointAt(0))
    if (more.length > 0 || (code >= surrogates && code < surrogates + count)) throw new Error('no character')
    return code < surrogates ? code : code - count
  },
)
