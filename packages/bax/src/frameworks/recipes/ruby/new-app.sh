# Makes in /app what `rails new . --api` of Rails 8.0 leaves, as far as Rails 7.2 has it, with everything compiled that every start needs.
set -eu
cd /app
rails new . --api --skip-git --skip-bundle
cp /opt/assay/Gemfile Gemfile
bundle install --local
echo 'require "/opt/assay/rails-8-shim"' >> config/boot.rb
sed -i 's/load_defaults 7\.2/load_defaults 8.0/' config/application.rb
sed -i 's/cache_store = :null_store/cache_store = :memory_store/' config/environments/development.rb
BUNDLE_GEMFILE=/app/Gemfile ruby -r bundler/setup -r bootsnap/cli -e 'exit Bootsnap::CLI.new(%w[precompile --gemfile app config]).run'
bin/rails runner 'ActiveRecord::Base'
# Each app makes its own.
rm -f tmp/local_secret.txt log/development.log
