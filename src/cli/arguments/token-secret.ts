import { minSecretBytes } from '../../http/auth/token-verification.js'
import { UsageError } from '../command-context.js'
import { readInput } from './input-file.js'

const variable = 'METASTORE_JWT_SECRET'

/**
 * Reads the secret that signs tokens, from a file or from METASTORE_JWT_SECRET. It is plain text or `base64:…`. No flag
 * sets it: other users of the machine can read command lines.
 * @param file a file with the secret; a line break at its end is ignored
 * @returns undefined if there is no secret
 * @throws UsageError for a secret that is empty, too short or not base64
 */
export async function readSecret(file: string | undefined): Promise<Uint8Array | undefined> {
  const [where, text] =
    file === undefined
      ? [variable, process.env[variable]]
      : [file, (await readInput(file)).toString().replace(/\r?\n$/, '')]
  if (text === undefined || text === '') {
    if (file === undefined) return undefined
    throw new UsageError(`${where} is empty; it should have the secret that tokens are signed with.`)
  }
  const secret = text.startsWith('base64:') ? decoded(text.slice(7), where) : Buffer.from(text)
  if (secret.length >= minSecretBytes) return secret
  throw new UsageError(
    `The secret in ${where} has ${secret.length} bytes, and HS256 needs ${minSecretBytes}: make one by echo "base64:$(head -c 32 /dev/urandom | base64)".`,
  )
}

function decoded(text: string, where: string): Uint8Array {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/')
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) return Buffer.from(plain, 'base64')
  throw new UsageError(`The text after base64: in ${where} is not base64.`)
}
