import { ProblemError } from '../../core/problem.js'
import { parseDuration } from '../arguments/duration.js'
import { argument, text, texts } from '../arguments/option-table.js'
import { defineCommand } from '../command.js'
import { UsageError } from '../command-context.js'

export const tokenCommand = defineCommand({
  positionals: {
    name: { ...argument, describe: 'Name of the user, as access lists have it' },
  },
  options: {
    role: {
      ...texts,
      default: ['USER'],
      describe: 'USER, ADMINISTRATOR, CURATOR, GUEST, SERVICE_READ…; repeatable',
    },
    'create-role': { ...text, describe: 'Value of --create-role of the server, if it has one' },
    group: { ...texts, default: [] as string[], describe: 'A group of the user; repeatable' },
    'first-name': { ...text, describe: 'For commits and records' },
    'last-name': { ...text, describe: 'For commits and records' },
    email: { ...text, describe: 'For commits' },
    valid: { ...text, default: '24h', describe: 'How long the token is valid, such as 30m, 24h or 7d' },
    'jwt-secret-file': { ...text, describe: 'File of the secret; default: METASTORE_JWT_SECRET has it' },
  },
  fromEnvironment: ['jwt-secret-file', 'create-role'],
  async run(argv, context) {
    const { terminal } = context
    const validity = secondsOf(argv.valid)
    const { sharedSecretSubject } = await import('../../http/auth/claims.js')
    const { signToken } = await import('../../http/auth/token-verification.js')
    const { roleOfToken } = await import('../arguments/role-name.js')
    const { readSecret } = await import('../arguments/token-secret.js')
    const secret = await readSecret(argv.jwtSecretFile)
    if (!secret) {
      throw new UsageError(
        'Set METASTORE_JWT_SECRET, or name a file with --jwt-secret-file: the secret of the server.',
      )
    }
    const claims = {
      tokenType: 'USER',
      username: argv.name,
      ...(argv.firstName !== undefined && { firstname: argv.firstName }),
      ...(argv.lastName !== undefined && { lastname: argv.lastName }),
      ...(argv.email !== undefined && { email: argv.email }),
      groups: argv.group,
      roles: argv.role.map(role => roleOfToken(role, argv.createRole)),
    }
    try {
      sharedSecretSubject(claims)
    } catch (error) {
      // The server would refuse such a token.
      if (error instanceof ProblemError) throw new UsageError(error.message, { cause: error })
      throw error
    }
    const token = await signToken(secret, claims, validity)
    if (argv.json) return terminal.printJson({ token, claims, validFor: validity })
    await terminal.print(token)
  },
})

function secondsOf(text: string): number {
  const milliseconds = parseDuration(text, ['s', 'm', 'h', 'd'])
  if (milliseconds) return milliseconds / 1000
  throw new UsageError(`--valid "${text}" is not a duration: write it as 30m, 24h or 7d.`)
}
