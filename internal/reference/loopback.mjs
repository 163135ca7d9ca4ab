// Loaded into node before a server: it listens on 127.0.0.1, whatever it asks for, and the
// port is printed. The address is known when listen returns, as without this file.
import net from "node:net";

const start = net.Server.prototype._listen2;

net.Server.prototype._listen2 = function (address, port, family, ...rest) {
  if (typeof port !== "number" || port < 0) {
    return start.call(this, address, port, family, ...rest);
  }
  const result = start.call(this, "127.0.0.1", port, 4, ...rest);
  const bound = this.address();
  if (bound) {
    process.stderr.write(`\nlistening on 127.0.0.1:${bound.port}.\n`);
  }
  return result;
};
