/** Whether tests run in their long form, with more rounds and larger inputs: `npm run test:long` sets the variable. */
export const isLongForm = process.env.TEST_LENGTH === 'long'
