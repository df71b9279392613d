# Runs on the host: perl inward-relay.pl SETNS,SETGROUPS,SETGID,SETUID,CLOCK_GETTIME UID:GID|- [SOCKET PORT PATIENCE-MS ADDRESS,ADDRESS...]...
# The numbers are those of the system calls here. Makes the sockets, prints `ready`, or `INDEX DETAIL` of the one that cannot be, and ends its
# output. Is then told `PID HOLDER` (0 for none), enters the network of PID, through the user namespace of HOLDER, and carries each connection to
# its port there. When its input ends it hands over the last bytes, and removes the sockets. The sockets are made before it enters, as code inside
# can list the paths of all that were made in its network. Few modules: they take longer to load than this to start.
use strict;

my ($UNIX, $INET, $INET6, $STREAM, $NONBLOCK) = (1, 2, 10, 1, 04000);
my ($SOL_SOCKET, $SO_ERROR, $IPPROTO_TCP, $TCP_NODELAY, $SET_FLAGS, $MONOTONIC) = (1, 4, 6, 1, 4, 1);
my ($NEW_USER, $NEW_NETWORK) = (0x10000000, 0x40000000);
my ($EINTR, $EAGAIN, $ECONNABORTED, $EINPROGRESS) = (4, 11, 103, 115);
my ($INPUT, $QUEUE, $PIECE) = (0, 4096, 65536);
# A server whose queue is full does not answer at all.
my $CONNECT_TIME = 10;
# How long the last bytes of an exec that has ended may take to reach the host.
my $DRAIN_TIME = 0.25;
# Descriptors have run out.
my $ACCEPT_PAUSE = 0.1;

my ($numbers, $owner, @wanted) = @ARGV;
my ($setns, $setgroups, $setgid, $setuid, $clock_gettime) = map { $_ + 0 } split /,/, $numbers;
$SIG{PIPE} = 'IGNORE';
umask 0177;
my $started = now();
my (@paths, %listeners);

sub now {
  syscall $clock_gettime, $MONOTONIC, my $time = "\0" x 16;
  my ($seconds, $nanoseconds) = unpack 'q2', $time;
  return $seconds + $nanoseconds / 1e9;
}

sub end_point {
  my ($address, $port) = @_;
  return pack 'S n C4 x8', $INET, $port, split /\./, $address if $address !~ /:/;
  require Socket if $address ne '::1';
  return pack 'S n N a16 L', $INET6, $port, 0, $address eq '::1' ? pack('x15 C', 1) : Socket::inet_pton($INET6, $address), 0;
}

# Under another name first: what has its own can be connected to. That name is short, and the directory is changed to, as a socket's path must be.
sub listen_at {
  my ($path) = @_;
  my $first_name = ".assay-$$";
  chdir $path =~ s{[^/]*$}{}r or return;
  socket my $listener, $UNIX, $STREAM | $NONBLOCK, 0 or return;
  bind $listener, pack('S a*', $UNIX, $first_name) or return;
  my $there = listen($listener, $QUEUE) && link $first_name, $path;
  local $!;
  unlink $first_name;
  return $there ? $listener : undef;
}

sub refuse {
  my ($detail) = @_;
  syswrite STDOUT, $detail;
  unlink @paths;
  exit;
}

while (my ($path, $port, $patience_ms, $addresses) = splice @wanted, 0, 4) {
  my $listener = listen_at($path) or refuse(@paths . " $!");
  push @paths, $path;
  $listeners{ fileno $listener } = { listener => $listener, port => $port, patience => $patience_ms / 1000, end_points => [map { end_point($_, $port) } split /,/, $addresses] };
}
chdir '/';
if (my $relay = fork // refuse("fork: $!")) {
  syswrite STDOUT, 'ready';
  close STDOUT;
  waitpid $relay, 0;
  # Which the relay cannot: it has become another user by then.
  unlink @paths;
  exit;
}
close STDOUT;

sub enter {
  my ($process, $name, $type) = @_;
  open my $namespace, '<', "/proc/$process/ns/$name" or die "$name: $!";
  die "setns: $!" if syscall($setns, fileno $namespace, $type) == -1;
}

# Nothing: the exec never had a network.
sysread STDIN, my $told, 100 or exit;
my ($inside, $holder) = split ' ', $told;
enter($holder, 'user', $NEW_USER) if $holder;
enter($inside, 'net', $NEW_NETWORK);
if ($owner =~ /^(\d+):(\d+)$/) {
  die "cannot become $owner: $!" if syscall($setgroups, 0, 0) == -1 || syscall($setgid, $2 + 0) == -1 || syscall($setuid, $1 + 0) == -1;
}

# By descriptor: the flow of bytes out of it, the one into it, and the connection that it will be the inner end of. A flow is read on when nothing
# of it is left to write.
my (%out_of, %into, %joining);
my ($reads, $writes) = ('', '');
# Connections by their client's descriptor, those of them that wait for a time, ports that were reached.
my (%connections, %waiting, %reached);
my ($drained_by, $accept_again);

sub finish {
  my ($connection) = @_;
  for my $handle (grep { defined } @$connection{qw(client upstream)}) {
    my $fd = fileno $handle;
    vec($reads, $fd, 1) = vec($writes, $fd, 1) = 0;
    delete $_->{$fd} for \%out_of, \%into, \%joining, \%connections, \%waiting;
    close $handle;
  }
  # Each flow knows its connection, and Perl frees no rings.
  delete @$connection{qw(inward outward)};
}

sub attempt {
  my ($connection) = @_;
  my $id = fileno $connection->{client};
  delete $waiting{$id};
  while (defined(my $end_point = shift @{ $connection->{left} })) {
    socket my $upstream, unpack('S', $end_point), $STREAM | $NONBLOCK, 0 or next;
    setsockopt $upstream, $IPPROTO_TCP, $TCP_NODELAY, 1;
    $connection->{upstream} = $upstream;
    return if connect $upstream, $end_point and join_ends($connection);
    next if $! != $EINPROGRESS;
    $joining{ fileno $upstream } = $connection;
    vec($writes, fileno $upstream, 1) = 1;
    $connection->{at} = now() + $CONNECT_TIME;
    $waiting{$id} = $connection;
    return;
  }
  delete $connection->{upstream};
  my $now = now();
  return finish($connection) if $drained_by || $reached{ $connection->{wanted}{port} } || $now >= $connection->{until};
  # The later, the longer, as what starts needs the processor.
  my $pause = ($now - $started) / 25;
  $connection->{at} = $now + ($pause > 0.004 ? $pause : 0.004);
  $connection->{left} = [@{ $connection->{wanted}{end_points} }];
  $waiting{$id} = $connection;
}

sub leave_attempt {
  my ($connection) = @_;
  if (my $upstream = delete $connection->{upstream}) {
    delete $joining{ fileno $upstream };
    vec($writes, fileno $upstream, 1) = 0;
    close $upstream;
  }
  attempt($connection);
}

sub answered {
  my ($connection) = @_;
  my $upstream = $connection->{upstream};
  my $error = unpack 'i', getsockopt $upstream, $SOL_SOCKET, $SO_ERROR;
  return leave_attempt($connection) if $error;
  # Not yet, when the descriptor was another's a moment ago.
  return if !getpeername $upstream;
  leave_attempt($connection) if !join_ends($connection);
}

sub join_ends {
  my ($connection) = @_;
  my ($client, $upstream) = @$connection{qw(client upstream)};
  # Where nobody listens a connection can meet itself.
  if (getsockname($upstream) eq (getpeername($upstream) // '')) {
    $! = 0;
    return 0;
  }
  delete $waiting{ fileno $client };
  delete $joining{ fileno $upstream };
  vec($writes, fileno $upstream, 1) = 0;
  $reached{ $connection->{wanted}{port} } = 1;
  $connection->{inward} = { connection => $connection, from => $client, to => $upstream, buffer => '' };
  $connection->{outward} = { connection => $connection, from => $upstream, to => $client, buffer => '' };
  for my $flow (@$connection{qw(inward outward)}) {
    $out_of{ fileno $flow->{from} } = $flow;
    $into{ fileno $flow->{to} } = $flow;
    vec($reads, fileno $flow->{from}, 1) = 1;
  }
  return 1;
}

sub pull {
  my ($flow) = @_;
  return if $flow->{ended} || length $flow->{buffer};
  my $count = sysread $flow->{from}, $flow->{buffer}, $PIECE;
  return if !defined $count && ($! == $EAGAIN || $! == $EINTR);
  my $connection = $flow->{connection};
  if (!defined $count) {
    return finish($connection) if $flow == $connection->{inward};
    give_up_inward($connection);
  }
  $flow->{over} = 1 if !$count;
  push_on($flow);
}

sub push_on {
  my ($flow) = @_;
  my $connection = $flow->{connection};
  my ($from, $to) = map { fileno $_ } @$flow{qw(from to)};
  while (length $flow->{buffer}) {
    my $count = syswrite $flow->{to}, $flow->{buffer};
    if (!defined $count) {
      next if $! == $EINTR;
      if ($! == $EAGAIN) {
        vec($reads, $from, 1) = 0;
        vec($writes, $to, 1) = 1;
        return;
      }
      return $flow == $connection->{inward} ? give_up_inward($connection) : finish($connection);
    }
    substr $flow->{buffer}, 0, $count, '';
  }
  vec($writes, $to, 1) = 0;
  vec($reads, $from, 1) = $flow->{over} ? 0 : 1;
  end_flow($flow) if $flow->{over};
}

sub end_flow {
  my ($flow) = @_;
  my $connection = $flow->{connection};
  $flow->{ended} = 1;
  return finish($connection) if $connection->{outward}{ended} && ($connection->{inward}{ended} || $drained_by);
  shutdown $flow->{to}, 1;
}

# Nobody inside reads on. What was sent from there before is still handed over.
sub give_up_inward {
  my ($connection) = @_;
  my $flow = $connection->{inward};
  @$flow{qw(buffer over)} = ('', 1);
  vec($reads, fileno $flow->{from}, 1) = vec($writes, fileno $flow->{to}, 1) = 0;
  end_flow($flow);
}

sub accept_from {
  my ($wanted) = @_;
  while (1) {
    my $client;
    if (!accept $client, $wanted->{listener}) {
      next if $! == $EINTR || $! == $ECONNABORTED;
      pause_accepting() if $! != $EAGAIN;
      return;
    }
    fcntl $client, $SET_FLAGS, $NONBLOCK;
    my $connection = { client => $client, wanted => $wanted, left => [@{ $wanted->{end_points} }], until => now() + $wanted->{patience} };
    $connections{ fileno $client } = $connection;
    attempt($connection);
  }
}

sub pause_accepting {
  vec($reads, $_, 1) = 0 for keys %listeners;
  $accept_again = now() + $ACCEPT_PAUSE;
}

sub start_accepting {
  vec($reads, $_, 1) = 1 for keys %listeners;
  $accept_again = undef;
}

sub drain {
  $drained_by = now() + $DRAIN_TIME;
  pause_accepting();
  $accept_again = undef;
  vec($reads, $INPUT, 1) = 0;
  my @done = grep { !$_->{outward} || $_->{outward}{ended} } values %connections;
  finish($_) for @done;
}

sub descriptors {
  my $bits = unpack 'b*', $_[0];
  my @found;
  push @found, pos($bits) - 1 while $bits =~ /1/g;
  return @found;
}

start_accepting();
vec($reads, $INPUT, 1) = 1;
until ($drained_by && (!%connections || now() >= $drained_by)) {
  my ($next) = sort { $a <=> $b } grep { defined } $drained_by, $accept_again, map { $_->{at} } values %waiting;
  my $left = defined $next ? $next - now() : undef;
  my $found = select my $readable = $reads, my $writable = $writes, undef, defined $left && $left < 0 ? 0 : $left;
  if ($found > 0) {
    for my $fd (descriptors($writable)) {
      if ($joining{$fd}) { answered($joining{$fd}) }
      elsif ($into{$fd}) { push_on($into{$fd}) }
    }
    for my $fd (descriptors($readable)) {
      if ($out_of{$fd}) { pull($out_of{$fd}) }
      elsif ($listeners{$fd}) { accept_from($listeners{$fd}) }
      elsif ($fd == $INPUT && !sysread STDIN, my $rest, 100) { drain() }
    }
  }
  my $now = now();
  start_accepting() if defined $accept_again && $now >= $accept_again;
  my @due = grep { $now >= $_->{at} } values %waiting;
  leave_attempt($_) for @due;
}
