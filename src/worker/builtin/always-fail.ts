// `always-fail {message?, permanent?}`: fails every attempt, and with `permanent` allows no further one.
import { type Handler, PermanentError } from '../handler.ts';
import { payloadObject } from './payload.ts';

const MESSAGE_LENGTH_MAX = 500;

export const alwaysFail: Handler = (payload) => {
  const fields = payloadObject('always-fail', payload, ['message', 'permanent']);
  const { message = 'always-fail: as asked', permanent = false } = fields;
  if (typeof message !== 'string' || message.length > MESSAGE_LENGTH_MAX) {
    throw new PermanentError(
      `always-fail: message must be a string of at most ${MESSAGE_LENGTH_MAX} characters`,
    );
  }
  if (typeof permanent !== 'boolean')
    throw new PermanentError('always-fail: permanent must be true or false');
  throw permanent ? new PermanentError(message) : new Error(message);
};
