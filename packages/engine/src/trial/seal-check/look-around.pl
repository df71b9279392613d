# Runs inside the sandbox of an agent, before the agent, in a process of its own (before-agent.pl): @ARGV is UNSHARE ADDRESS...
# Prints what is there, one fact a line, and judges nothing. `end` says that no other will come, but for what resolves. Few modules: they take
# longer to load than this to run. UNSHARE is the number of that system call here; each ADDRESS (IPv4, or 32 hexadecimal digits of IPv6)
# one that nothing may lead to; without any the network is not looked at.
use strict;
# As `use filetest 'access'` does, which is no part of perl-base: the kernel is asked what may be read and written.
BEGIN { $^H |= 0x00400000 }

my ($INET, $INET6, $STREAM, $DATAGRAM, $RAW, $NONBLOCK) = (2, 10, 1, 2, 3, 04000);
my $DNS_QUERY = pack 'n6 (C/a*)2 C n2', 0x5ea1, 0x0100, 1, 0, 0, 0, 'example', 'com', 0, 1, 1;
my ($unshare, @addresses) = map { /^([0-9a-f.]+)$/ } @ARGV;

# What waits for an answer has one each, and all of it together 5 seconds.
alarm 5;

sub fact {
  my ($name, @words) = @_;
  s/([^!-\$&-~])/sprintf '%%%02X', ord $1/ge for @words;
  print join(' ', $name, @words), "\n";
}

sub lines {
  my ($path, $separator) = @_;
  local $/ = $separator;
  open my $file, '<', $path or return;
  my $count = 0;
  while (defined(my $line = <$file>)) {
    chomp $line;
    $line =~ s/\s+/ /g if $separator eq "\n";
    fact("file:$path", substr $line, 0, 4096);
    last if ++$count == 500;
  }
}

sub end_point {
  my ($address, $port) = @_;
  return pack 'S n N a16 L', $INET6, $port, 0, pack('H32', $address), 0 if length $address == 32;
  return pack 'S n C4 x8', $INET, $port, split /\./, $address;
}

# 0 or the error of a connection or a datagram, known at once: where no route leads, the kernel says so before anything is sent.
sub attempt {
  my ($type, $address, $port) = @_;
  socket my $socket, (length $address == 32 ? $INET6 : $INET), $type | $NONBLOCK, 0 or return $! + 0;
  connect $socket, end_point($address, $port) or return $! + 0;
  return 0 if $type == $STREAM;
  return defined(send $socket, $DNS_QUERY, 0) ? 0 : $! + 0;
}

sub resolver_answers {
  my ($address) = @_;
  socket my $socket, (length $address == 32 ? $INET6 : $INET), $DATAGRAM, 0 or return 0;
  connect $socket, end_point($address, 53) or return 0;
  send $socket, $DNS_QUERY, 0 or return 0;
  vec(my $ready = '', fileno $socket, 1) = 1;
  select $ready, undef, undef, 0.3 or return 0;
  return defined(recv $socket, my $answer, 512, 0) ? 1 : 0;
}

sub find_sockets {
  my ($directory, $depth, $budget) = @_;
  opendir my $handle, $directory or return;
  for my $name (readdir $handle) {
    next if $name eq '.' || $name eq '..';
    return if --$$budget < 0;
    my $path = "$directory/$name";
    lstat $path or next;
    fact('socket-file', $path) if -S _;
    find_sockets($path, $depth - 1, $budget) if -d _ && $depth > 1;
  }
}

# The kernel walks through the machine's whole table for the list of TCP sockets, milliseconds long, and knows how many there are without it.
sub no_tcp_sockets {
  my ($version) = @_;
  open my $counts, '<', "/proc/net/sockstat$version" or return 0;
  return scalar grep { /^TCP$version: inuse 0\b/ } <$counts>;
}

lines("/proc/net/$_", "\n") for qw(dev route ipv6_route udp udp6 raw raw6 unix), map { no_tcp_sockets($_) ? () : "tcp$_" } '', 6;
lines($_, "\n") for qw(/proc/self/status /proc/version /etc/resolv.conf /etc/nsswitch.conf);
lines('/proc/self/environ', "\0");

for my $address (@addresses) {
  fact('connection', $address, $_, attempt($STREAM, $address, $_)) for 53, 80;
  fact('datagram', $address, 53, attempt($DATAGRAM, $address, 53));
}
for my $address (@addresses ? qw(127.0.0.1 127.0.0.53 00000000000000000000000000000001) : ()) {
  fact('resolver', $address) if resolver_answers($address);
}

for my $family (0 .. 63) {
  for my $type ($STREAM, $DATAGRAM, $RAW, 5) {
    fact('family', $family, $type) if socket my $socket, $family, $type, 0;
  }
}
for my $protocol (1 .. 31) {
  fact('netlink', $protocol) if socket my $socket, 16, $RAW, $protocol;
}

opendir my $processes, '/proc';
for my $pid (grep { /^\d+$/ } readdir $processes) {
  open my $stat, '<', "/proc/$pid/stat" or next;
  my ($parent) = (<$stat> // '') =~ /\) \S (\d+)/;
  fact('process', $pid, $parent // '') if defined $parent;
}
fact('self', $$);

opendir my $devices, '/dev';
fact('device', $_) for grep { !/^\.\.?$/ } readdir $devices;
fact('host-file', $_) for grep { -e } qw(/host /etc/shadow /etc/ssh /etc/machine-id /boot /var/lib/dpkg /var/lib/docker /var/log);
fact('writable', $_) for grep { -w } qw(/usr /usr/bin /etc /bin /lib);
if (open my $mounts, '<', '/proc/self/mountinfo') {
  fact('socket-file', $_) for grep { -S } map { (split / /)[4] } <$mounts>;
}
find_sockets($_, 3, \(my $budget = 2000)) for qw(/run /tmp /var/tmp /dev /home);

my %calls = (io_uring_setup => [425, 1, 0], open_tree => [428, 0, 0, 0], fsopen => [430, 0, 0], clone3 => [435, 0, 0], unshare => [$unshare, 0x10000000]);
for my $name (sort keys %calls) {
  my ($number, @arguments) = map { $_ + 0 } @{ $calls{$name} };
  fact('call', $name, syscall($number, @arguments) == -1 ? $! + 0 : 0);
}

fact('end');
if (@addresses) {
  $| = 1;
  alarm 1;
  my @found = gethostbyname 'example.com';
  fact('name', @found ? 'example.com' : ());
}
